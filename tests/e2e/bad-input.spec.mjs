// What a host may do that no host should: answers without an end, without sense, from
// somewhere else. The page takes no more of them than it needs, and says what is the matter.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { test, until } from './harness.mjs';
import { fillSetup, KEY, send, setup, waitAnswer, waitStopped } from './app.mjs';

const MEGABYTE = 1 << 20;
/** More than is ever read of an answer, with all that is on its way. */
const MOST = 32 * MEGABYTE;

/** A host that does what `answers(request, response)` does, and lets every page in. */
async function startHost(t, answers) {
  const host = { hits: [], written: 0 };
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*, authorization');
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    host.hits.push({ method: request.method, url: request.url, headers: request.headers });
    return answers(request, response, host);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host.origin = `http://127.0.0.1:${server.address().port}`;
  host.baseUrl = `${host.origin}/v1`;
  t.closes({
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
  return host;
}

/** Writes `piece` again and again, up to `most` bytes, as fast as they are taken. */
async function pour(response, host, first, piece, most) {
  let wake = () => {};
  let isOpen = true;
  response.on('drain', () => wake());
  response.on('close', () => {
    isOpen = false;
    wake();
  });
  response.write(first);
  while (isOpen && host.written < most) {
    host.written += piece.length;
    if (!response.write(piece)) await new Promise((resolve) => (wake = resolve));
  }
  if (isOpen) response.end();
}

const asStream = (response, headers = {}) => response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });

/** Sends a task that fails, and gives back what the user is told, in plain words. */
async function told(page, reason = 'Failed') {
  await send(page, 'Hello');
  const words = await waitStopped(page, reason);
  assert.doesNotMatch(words, /<\/?[a-z]|\bundefined\b|\bnull\b|JsValue|TypeError|panicked/, 'plain words only');
  return words;
}

test('50 MB in one line are not read to their end, and the user is told', async (t) => {
  const host = await startHost(t, (request, response, of) => {
    asStream(response);
    return pour(response, of, 'data: {"choices":[{"delta":{"content":"', Buffer.alloc(64 << 10, 'x'), 50 * MEGABYTE);
  });
  const page = await t.open();
  await setup(page, host);
  assert.match(await told(page), /127\.0\.0\.1.*address/s);
  assert.ok(host.written < MOST, `${host.written} bytes were taken`);
  assert.equal(host.hits.length, 1, 'it is not asked for again');
});

test('blanks without an end, packed small, are not unpacked to their end', async (t) => {
  // 256 MB become 256 KB on the way.
  const bomb = gzipSync(Buffer.alloc(256 * MEGABYTE, ' '), { level: 9 });
  const host = await startHost(t, (request, response) => asStream(response, { 'content-encoding': 'gzip' }).end(bomb));
  const page = await t.open();
  await setup(page, host);
  const begun = Date.now();
  assert.match(await told(page), /127\.0\.0\.1.*address/s);
  assert.ok(Date.now() - begun < 5_000, 'at once');
});

test('rubbish that is said to be packed ends clearly, and the next answer is read', async (t) => {
  let isMended = false;
  const host = await startHost(t, (request, response) => {
    if (isMended) return asStream(response).end('data: {"choices":[{"delta":{"content":"Mended."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    return asStream(response, { 'content-encoding': 'gzip' }).end(Buffer.from('this was never packed'.repeat(50)));
  });
  const page = await t.open({ url: (await t.serveHurried()).url });
  await setup(page, host);
  assert.match(await told(page), /127\.0\.0\.1/);
  isMended = true;
  await page.getByTestId('continue-run').last().click();
  await waitAnswer(page, 'Mended.');
  await waitStopped(page, 'Completed');
});

test('an answer of one byte a second is shown as it comes, and ends at once by Stop', async (t) => {
  const bytes = Buffer.from(`data: {"choices":[{"delta":{"content":"Slow"}}]}\n\n${': \n'.repeat(1_000)}`);
  const host = await startHost(t, (request, response) => {
    asStream(response);
    // What is seen at once, and the rest byte by byte.
    response.write(bytes.subarray(0, 47));
    let at = 47;
    const timer = setInterval(() => response.write(bytes.subarray(at, (at += 1))), 1_000);
    response.on('close', () => clearInterval(timer) ?? (host.isClosed = true));
  });
  const page = await t.open();
  await setup(page, host);
  await send(page, 'Hello');
  await waitAnswer(page, 'Slow');
  await page.getByTestId('composer-stop').click();
  await waitStopped(page, 'Cancelled');
  await until('the host is let go', () => host.isClosed);
  assert.equal(host.hits.length, 1);
});

for (const [how, options] of Object.entries({ 'the usual header': {}, 'a header of its own': { keyHeader: 'x-key' } })) {
  test(`a redirect is told and not followed, with the key in ${how}`, async (t) => {
    const other = await startHost(t, (request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"m"}]}'));
    const host = await startHost(t, (request, response) => response.writeHead(307, { location: other.origin + request.url }).end());
    const page = await t.open();
    await page.getByTestId('setup-base-url').fill(host.baseUrl);
    await page.getByTestId('setup-api-key').fill(KEY);
    if (options.keyHeader) {
      await page.getByTestId('setup-more').click();
      await page.getByTestId('option-key-header').fill(options.keyHeader);
    }
    // Neither for the list of models, nor for the doctor, nor for a task.
    await page.getByTestId('setup-models-list').click();
    await page.getByRole('status').filter({ hasText: /gives no list of models/ }).first().waitFor();
    await page.getByTestId('setup-model').fill('m');
    await page.keyboard.press('Escape');
    await page.getByTestId('doctor-run').click();
    await page.locator('[data-testid="doctor-report"][data-state="problem"]').waitFor();
    await fillSetup(page, { baseUrl: host.baseUrl, model: 'm' });
    await page.getByTestId('composer-input').waitFor();
    assert.match(await told(page), /127\.0\.0\.1.*address/s);
    // The knock of the doctor has no header at all, and its answer is not read.
    const asked = other.hits.filter(({ method, headers }) => method !== 'GET' || headers.authorization || headers['x-key']);
    assert.deepEqual(asked, []);
    assert.ok(!JSON.stringify(other.hits).includes(KEY));
  });
}

test('a list of models without an end is not read to its end, and the name is typed', async (t) => {
  const host = await startHost(t, (request, response, of) => {
    if (request.method === 'POST') return asStream(response).end('data: {"choices":[{"delta":{"content":"Here."},"finish_reason":"stop"}]}\n\n');
    response.writeHead(200, { 'content-type': 'application/json' });
    return pour(response, of, '{"data":[', Buffer.from('{"id":"model-of-a-host-without-measure"},'.repeat(1_000)), 200 * MEGABYTE);
  });
  const page = await t.open();
  await page.getByTestId('setup-base-url').fill(host.baseUrl);
  await page.getByTestId('setup-models-list').click();
  await page.getByRole('status').filter({ hasText: /gives no list of models/ }).first().waitFor();
  assert.ok(host.written < 2 * MOST, `${host.written} bytes were taken`);
  await fillSetup(page, { baseUrl: host.baseUrl });
  await page.getByTestId('composer-input').waitFor();
  await send(page, 'Hello');
  await waitAnswer(page, 'Here.');
});
