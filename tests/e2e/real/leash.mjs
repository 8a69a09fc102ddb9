// Runs a program until this one's input ends: whoever holds the other end may close it, or be
// killed in whatever way, and the program ends too.
//
//   node leash.mjs PROGRAM [ARGUMENT...]

import { spawn } from 'node:child_process';

const GRACE = 2_000;

const [program, ...args] = process.argv.slice(2);
const server = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
server.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
server.on('exit', (code) => process.exit(code ?? 1));

const end = () => {
  server.kill();
  setTimeout(() => server.kill('SIGKILL'), GRACE);
};
process.stdin.on('close', end).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
