// Turns the shell's module into the two files that are served: the worker's script, which is the
// module's glue and src/shell/src/worker.mjs, and the module, packed. Both are named by their
// content. Prints what the page has to know: the script's name and its hash.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { minify } from './shrink.mjs';

const [module, dist] = process.argv.slice(2);
const workerPath = 'src/shell/src/worker.mjs';
const knownPath = join(dist, 'known.json');

const hash = (algorithm, content, form) => createHash(algorithm).update(content).digest(form);
const named = (content, ending) => `shell-${hash('sha256', content, 'hex').slice(0, 16)}.${ending}`;
const integrityOf = (content) => `sha384-${hash('sha384', content, 'base64')}`;

const inputs = [module, workerPath, fileURLToPath(import.meta.url)].map((path) => readFileSync(path));
const state = hash('sha256', Buffer.concat(inputs), 'hex');
const known = existsSync(knownPath) ? JSON.parse(readFileSync(knownPath, 'utf8')) : {};
if (known.state !== state) await pack();
console.log(JSON.parse(readFileSync(knownPath, 'utf8')).told);

async function pack() {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const work = mkdtempSync(join(dist, 'work-'));
  const options = ['--target', 'web', '--no-typescript', '--out-dir', work, '--out-name', 'shell', module];
  execFileSync('wasm-bindgen', options, { stdio: ['ignore', 'ignore', 'inherit'] });
  const bound = join(work, 'shell_bg.wasm');
  const small = join(work, 'small.wasm');
  execFileSync('wasm-opt', ['-O1', bound, '-o', small], { stdio: ['ignore', 'ignore', 'inherit'] });

  const packed = gzipSync(readFileSync(small), { level: 9 });
  // Not `.gz`: some servers would unpack that on the way.
  const packedName = named(packed, 'wasm.gzip');
  const worker = readFileSync(workerPath, 'utf8').replace(/^const build = .*$/m, () => {
    const build = { file: `./${packedName}`, bytes: packed.length, integrity: integrityOf(packed) };
    return `const build = ${JSON.stringify(build)};\nconst init = __wbg_init;`;
  });
  const glue = readFileSync(join(work, 'shell.js'), 'utf8');
  const script = await minify(`${glue}\n${worker}`, 'js');
  const scriptName = named(script, 'js');
  writeFileSync(join(dist, packedName), packed);
  writeFileSync(join(dist, scriptName), script);
  console.error(`    the shell: ${statSync(small).size} bytes, packed ${packed.length}`);
  rmSync(work, { recursive: true });
  const told = `${scriptName} ${integrityOf(script)}`;
  writeFileSync(knownPath, JSON.stringify({ state, told, files: [packedName, scriptName] }));
}
