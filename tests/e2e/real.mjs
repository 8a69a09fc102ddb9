// A conversation with a real model server from the built page: it proves the wire, not
// the wits, since the model is far too small to use tools well.
//
//   TABLOOP_LLAMA_SERVER  the program llama-server
//   TABLOOP_LLAMA_MODEL   a model for it (.gguf)

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { attempt, launch, serveDist, until } from './harness.mjs';
import { send, setup, waitStoppedSomehow } from './app.mjs';

const LOAD_TIMEOUT = 60_000;
const ANSWER_TIMEOUT = 180_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function setting(name) {
  if (process.env[name]) return process.env[name];
  console.error(`${name} is not set: run this by make test-real.`);
  process.exit(2);
}

async function startModel() {
  const port = await freePort();
  const program = setting('TABLOOP_LLAMA_SERVER');
  const server = spawn(program, ['-m', setting('TABLOOP_LLAMA_MODEL'), '--host', '127.0.0.1', '--port', String(port), '--jinja', '-c', '8192'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  let exit = null;
  server.stderr.on('data', (data) => (log = (log + data).slice(-20_000)));
  server.on('error', (error) => (exit = error.message));
  server.on('exit', (code, signal) => (exit ??= `exit ${code ?? signal}`));
  const origin = `http://127.0.0.1:${port}`;
  const healthy = () => fetch(`${origin}/health`).then((answer) => answer.ok, () => false);
  await until('the model is loaded', () => {
    if (exit) throw new Error(`llama-server ended (${exit}):\n${log}`);
    return healthy();
  }, LOAD_TIMEOUT);
  return { baseUrl: `${origin}/v1`, key: '', model: 'smollm2', log: () => log, close: () => server.kill() };
}

/** Notes every length that the last answer has while it comes in. */
const watchAnswer = (page) => page.evaluate(() => {
  window.lengths = new Set();
  new MutationObserver(() => {
    const answer = [...document.querySelectorAll('[data-testid="message-assistant"]')].at(-1);
    if (answer) window.lengths.add(answer.textContent.length);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
});

async function ask(page, text) {
  await page.evaluate(() => window.lengths.clear());
  await send(page, text);
  const reason = await waitStoppedSomehow(page, ANSWER_TIMEOUT);
  const lengths = await page.evaluate(() => window.lengths.size);
  const answer = await page.getByTestId('message-assistant').last().innerText().catch(() => '');
  console.log(`> ${text}\n${answer.trim().replace(/^/gm, '  ')}\n  (${reason}, seen at ${lengths} lengths)`);
  assert.notEqual(reason, 'Failed', await page.getByTestId('stop-reason').last().innerText());
  assert.ok(lengths > 1, 'the answer came in pieces');
}

const model = await startModel();
const site = await serveDist();
const browser = await launch();
const conversation = {
  name: 'a streamed conversation with a real model',
  timeout: 2 * ANSWER_TIMEOUT,
  async run(t) {
    const page = await t.open();
    await setup(page, model);
    await watchAnswer(page);
    await ask(page, 'Say in one sentence what a tree is.');
    await ask(page, 'And what is a leaf?');
    assert.equal(await page.getByTestId('message-user').count(), 2);
  },
};
const error = await attempt(browser, site, conversation);
await browser.close();
await site.close();
model.close();
if (error) console.error(`${error.stack}\n\nThe server's last words:\n${model.log().slice(-2_000)}`);
console.log(error ? '0 passed, 1 failed' : '1 passed, 0 failed');
process.exit(error ? 1 : 0);
