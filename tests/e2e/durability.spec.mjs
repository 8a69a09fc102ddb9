// The browser is killed again and again, in rounds that write and in imports: whatever was told
// as done is there afterwards, and nothing is half there.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { kill, send, setup, waitStopped } from './app.mjs';
import { seeded } from './wire.mjs';

const grep = (path) => call('grep', { pattern: '^entry ', path });
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

/** The files that a grep found, each with its line. */
function found(result) {
  const files = new Map();
  let path;
  for (const line of result.split('\n')) {
    const [, content] = line.match(/^1:(.*)/) ?? [];
    if (content) files.set(path, content);
    else if (line) path = line;
  }
  return files;
}

/** An endpoint whose model writes on and on, and knows what was told as done. */
function writer() {
  /** By path: what is done, and what may be. */
  const files = new Map();
  let life = 0;
  let round = 0;
  let asked = [];

  function writes() {
    round += 1;
    const paths = [`life-${life}/${round}-a.txt`, `life-${life}/${round}-b.txt`, `life-${life}/over.txt`];
    asked = paths.map((path) => ({ path, content: `entry ${life} ${round}` }));
    for (const { path, content } of asked) files.set(path, { ...files.get(path), begun: content });
    return calls(...asked.map((one) => call('write_file', { ...one, content: `${one.content}\n` })));
  }

  return {
    files,
    begin() {
      life += 1;
      round = 0;
      asked = [];
    },
    reply({ body }) {
      const results = lastResults(body);
      asked.forEach(({ path, content }, n) => {
        if (results[n]?.startsWith('Wrote ')) files.set(path, { done: content });
      });
      return writes();
    },
    /** Holds what is there against what was told. */
    check(there) {
      for (const [path, { done, begun }] of files) {
        const content = there.get(path);
        assert.ok(
          content === done || content === begun,
          `${path} holds ${content}; told as done was ${done}, begun was ${begun}`,
        );
        // What came to be before the kill is what counts from now on.
        files.set(path, { done: content });
      }
      for (const path of there.keys()) assert.ok(files.has(path), `${path} was never written`);
    },
  };
}

/** What is in the workspace, as the agent finds it in a session of its own. */
async function look(page, endpoint, model) {
  await page.getByTestId('session-new').click();
  const [before] = [endpoint.requests.length];
  model.looks = true;
  await send(page, 'Look');
  await waitStopped(page, 'Completed');
  model.looks = false;
  const [result] = lastResults(endpoint.requests[before + 1].body);
  return result;
}

for (const seed of [1, 2, 3]) {
  test(`killed six times in rounds that write (${seed})`, async (t) => {
    const random = seeded(seed);
    const model = writer();
    const dir = await t.profile();
    const endpoint = await t.endpoint((request) => {
      if (!model.looks) return model.reply(request);
      return lastResults(request.body).length > 0 ? text('Seen.') : calls(grep('.'));
    });
    let page = await t.openProfile(dir);
    await setup(page, { baseUrl: endpoint.baseUrl, key: '' });
    for (let life = 0; life < 6; life += 1) {
      model.begin();
      const before = endpoint.requests.length;
      await page.getByTestId('session-new').click();
      await send(page, `Write, life ${life}`);
      await endpoint.arrived(before + 2 + Math.floor(random() * 4));
      await pause(random() * 15);
      await kill(page, dir);
      page = await t.openProfile(dir);
      model.check(found(await look(page, endpoint, model)));
      assert.equal(await page.locator('.toast').count(), 0, 'nothing had to be mended');
    }
  });
}

test('killed seven times while files come in', async (t) => {
  const random = seeded(4);
  const model = { looks: true };
  const dir = await t.profile();
  const endpoint = await t.endpoint(({ body }) => (
    lastResults(body).length > 0 ? text('Seen.') : calls(call('grep', { pattern: '^entry ', mode: 'count', path: '.' }))
  ));
  let page = await t.openProfile(dir);
  await setup(page, { baseUrl: endpoint.baseUrl, key: '' });
  const count = 400;
  let whole = 0;
  for (let life = 0; life < 7; life += 1) {
    const files = Array.from({ length: count }, (_, n) => ({
      name: `life-${life}-${n}.txt`, mimeType: 'text/plain', buffer: Buffer.from(`entry ${life} ${n}\n${'x'.repeat(2_000)}\n`),
    }));
    // What is told on the page is done.
    await page.getByTestId('import-input').setInputFiles(files);
    await pause(random() * 250);
    const isTold = await page.locator('.toast').count() > 0;
    await kill(page, dir);
    page = await t.openProfile(dir);
    const result = await look(page, endpoint, model);
    const there = Number(result.match(/in (\d[\d,]*) file/)?.[1].replace(',', '') ?? 0);
    assert.ok(there === whole || there === whole + count, `${there} files are there, ${whole} were before`);
    assert.ok(there === whole + count || !isTold, 'what was told as done is there');
    whole = there;
  }
});
