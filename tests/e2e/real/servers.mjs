// Servers that nobody here wrote, on this machine alone.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { createServer as listen } from 'node:net';
import { fileURLToPath } from 'node:url';
import { until } from '../harness.mjs';

const LOAD_TIMEOUT = 60_000;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const installed = createRequire(import.meta.url);

async function freePort() {
  const server = listen().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs a server until it is closed, or this process ends; waits until `isUp`. */
async function start(name, program, args, isUp) {
  const server = spawn(process.execPath, [here('leash.mjs'), program, ...args], { stdio: 'pipe' });
  const ended = new Promise((done) => server.on('close', done));
  let log = '';
  let isOver = false;
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (data) => (log = (log + data).slice(-20_000)));
  server.on('exit', () => (isOver = true));
  server.stdin.on('error', () => {});
  const close = () => {
    server.stdin.end();
    return ended;
  };
  await until(`${name} is up`, () => {
    if (isOver) throw new Error(`${name} ended:\n${log}`);
    return isUp();
  }, LOAD_TIMEOUT).catch(async (error) => {
    await close();
    throw error;
  });
  return { name, log: () => log, close };
}

const answers = (url) => fetch(url).then((answer) => answer.status < 500, () => false);

/** llama.cpp's server with a small model. */
export async function startLlama(program, model) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const window = 8192;
  const args = ['-m', model, '--host', '127.0.0.1', '--port', String(port), '--jinja', '-c', String(window)];
  const healthy = () => fetch(`${origin}/health`).then((answer) => answer.ok, () => false);
  const server = await start('llama-server', program, args, healthy);
  return { ...server, baseUrl: `${origin}/v1`, key: '', model: 'smollm2', window };
}

/**
 * Portkey's gateway, and before it a proxy that lets pages in, as who runs the gateway for a page
 * would put there: by itself it answers no preflight.
 */
export async function startGateway() {
  const port = await freePort();
  const program = installed.resolve('@portkey-ai/gateway/build/start-server.js');
  const before = ['local-only.mjs', 'mutable-headers.mjs'].flatMap((file) => ['--import', here(file)]);
  const args = [...before, program, `--port=${port}`, '--headless'];
  const gateway = await start('the gateway', process.execPath, args, () => answers(`http://127.0.0.1:${port}/`));
  const proxy = await startProxy(port);
  const close = () => {
    proxy.close();
    proxy.closeAllConnections();
    return gateway.close();
  };
  const [shut, baseUrl] = [port, proxy.address().port].map((port) => `http://127.0.0.1:${port}/v1`);
  return { ...gateway, close, shut, baseUrl };
}

async function startProxy(port) {
  const proxy = createServer((incoming, outgoing) => {
    const allowed = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, content-type, x-portkey-provider, x-portkey-custom-host',
    };
    if (incoming.method === 'OPTIONS') return outgoing.writeHead(204, allowed).end();
    const { method, headers, url: path } = incoming;
    const inner = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, { ...answer.headers, ...allowed });
      answer.pipe(outgoing);
    });
    inner.on('error', () => outgoing.destroy());
    outgoing.on('close', () => inner.destroy());
    return incoming.pipe(inner);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

/** A mock of OpenAI's API by others, which answers each round by one of `turns`, and the doctor. */
export async function startAimock(turns) {
  const { LLMock } = await import('@copilotkit/aimock');
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  const ping = { name: 'ping', arguments: '{}' };
  mock.addFixture({ match: { toolName: ping.name }, response: { toolCalls: [ping] } });
  mock.addFixture({ match: { userMessage: 'Reply with OK.' }, response: { content: 'OK' } });
  turns.forEach((response, turnIndex) => mock.addFixture({ match: { turnIndex }, response }));
  await mock.start();
  const asked = () => mock.getRequests().map(({ body }) => body).filter((body) => body?.messages);
  return { name: 'aimock', log: () => '', asked, close: () => mock.stop(), baseUrl: `${mock.url}/v1`, key: 'sk-mock', model: 'gpt-mock' };
}
