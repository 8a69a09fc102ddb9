// A window that fills: old results and rounds are shortened, the conversation goes on.

import assert from 'node:assert/strict';
import { lastResults, plain, task } from './conversation.mjs';
import { call, calls, counted, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { change, importFiles, reload, send, setup, toolCards, waitAnswer, waitStopped } from './app.mjs';

const WINDOW = 9_000;
const FILES = 12;
const SUMMARY = 'Some files were read; there was nothing but words in them.';

/** Some 1,500 tokens, other ones in each file. */
const content = (n) => Array.from({ length: 130 }, (_, line) => `file ${n} line ${line}: some words that stand for others\n`).join('');

/** As many tokens as a host would count, more or less. */
const weighed = (reply, request) => counted(reply, Math.ceil(request.raw.length / 4), 20);

/** Reads one file after the other, whatever is left of the history; sums up when asked to. */
function reader() {
  let read = 0;
  return (request) => {
    if (!request.body.tools) return text(SUMMARY);
    if (task(request.body.messages) !== 'Read them all') return text('What is this?');
    if (plain(request.body.messages.at(-1).content).endsWith('What was in them?')) return weighed(text('Words.'), request);
    if (read === FILES) return weighed(text('All are read.'), request);
    read += 1;
    return weighed(calls(call('read_file', { path: `${read}.txt` })), request);
  };
}

test('large reads in a small window: the history is shortened, and the conversation goes on', async (t) => {
  const endpoint = await t.endpoint(reader(), { shortens: true });
  const page = await t.open();
  await setup(page, endpoint);
  await change(page, { window: WINDOW });
  await importFiles(page, Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`${n + 1}.txt`, content(n + 1)])));
  await send(page, 'Read them all');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'All are read.');
  assert.deepEqual(await toolCards(page), Array(FILES).fill('read_file ok'));

  const lines = page.getByTestId('compaction');
  const told = await lines.allTextContents();
  assert.ok(told.length > 0);
  for (const line of told) {
    const [before, after] = line.match(/([\d,]+) → ([\d,]+) tokens/).slice(1).map((number) => Number(number.replaceAll(',', '')));
    assert.ok(after < before && before < WINDOW, line);
  }
  assert.ok(told.some((line) => line.includes(SUMMARY)), 'the model\'s summary can be read');

  const main = endpoint.requests.filter(({ body }) => body.tools);
  const [{ role, content: system }, { content: first }] = main[0].body.messages;
  assert.equal(role, 'system');
  for (const { body, raw } of main) {
    assert.equal(body.messages[0].content, system);
    assert.equal(body.messages[1].content, first);
    assert.ok(raw.length / 4 < WINDOW, `a request of ${raw.length} bytes`);
  }
  // The newest result is whole, whatever became of the older ones.
  for (const [n, { body }] of main.slice(1).entries()) {
    const [result] = lastResults(body);
    assert.ok(result.includes(`file ${n + 1} line 0:`) && result.includes(`file ${n + 1} line 129:`), `the result of read ${n + 1}`);
  }
  assert.match(main.at(-1).raw, new RegExp(SUMMARY.slice(0, 30)));
  assert.ok(!main.at(-1).raw.includes('file 1 line 100:'));

  await send(page, 'What was in them?');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'Words.');
  await reload(page);
  assert.deepEqual(await lines.allTextContents(), told);
});

test('the meter shows what takes the room', async (t) => {
  const endpoint = await t.endpoint(reader(), { shortens: true });
  const page = await t.open();
  await setup(page, endpoint);
  await change(page, { window: WINDOW, 'round-limit': 3, 'price-in': '2.00' });
  await importFiles(page, Object.fromEntries([1, 2, 3].map((n) => [`${n}.txt`, content(n)])));
  await send(page, 'Read them all');
  await waitStopped(page, 'RoundLimit');
  await page.getByTestId('usage-meter').click();
  const popover = page.getByTestId('usage-popover');
  const parts = await popover.locator('dl').first().locator('.meter-popover__line').allInnerTexts();
  const tokens = parts.map((part) => Number(part.match(/([\d,]+)\s*$/)[1].replaceAll(',', '')));
  const [system, rules, tools, history, results, free] = tokens;
  assert.equal(parts.length, 6);
  assert.equal(rules, 0);
  for (const [name, part] of Object.entries({ system, history, results })) assert.ok(part > 0, `${name}: ${parts}`);
  assert.ok(results > history, `${parts}`);
  assert.ok(tools >= 0);
  assert.equal(tokens.reduce((sum, part) => sum + part, 0), WINDOW, `${parts}`);
  assert.match(await popover.innerText(), /of 9,000 tokens/);
  assert.match(await popover.innerText(), /\$0\.\d\d/);
  const used = Math.floor(((WINDOW - free) * 100) / WINDOW);
  await until('the meter tells the same', async () => (await page.getByTestId('usage-meter').innerText()).includes(`${used}%`));
});

test('the meter counts an answer as soon as it is there, and tells what the host had in its cache', async (t) => {
  const endpoint = await t.endpoint([counted(text('Hello.'), 30_000, 2_000, 20_000)]);
  const page = await t.open();
  await setup(page, endpoint);
  await change(page, { 'price-in': '2.00', 'price-cached': '0.50', 'price-out': '10.00' });
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  await page.getByTestId('usage-meter').click();
  const told = await page.getByTestId('usage-popover').innerText();
  assert.match(told, /30k sent · 20k of them cached · 2k received/);
  // 10,000 at $2, 20,000 at $0.50 and 2,000 at $10 a million.
  assert.match(told, /\$0\.05/);
});
