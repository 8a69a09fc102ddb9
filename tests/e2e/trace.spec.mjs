// The trace of a session, and the meter: what was sent, what came back, and what takes the room.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { send, setup, waitStopped } from './app.mjs';

const rounds = (page) => page.getByTestId('trace-round');

async function run(t) {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'a.md', content: 'x'.repeat(6000) })),
    calls(call('read_file', { path: 'a.md' }), call('list_dir', {})),
    text('All is there.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Write a file and read it');
  await waitStopped(page, 'Completed');
  return { page, endpoint };
}

async function exported(page, id) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId(id).click()]);
  return JSON.parse(await readFile(await download.path(), 'utf8'));
}

test('each round is a row that unfolds to the request as sent and the response as it came', async (t) => {
  const { page, endpoint } = await run(t);
  await page.getByTestId('trace-open').click();
  await until('three rounds are shown', async () => (await rounds(page).count()) === 3);
  await rounds(page).nth(0).getByRole('button').first().click();
  const first = rounds(page).nth(0);
  await first.getByTestId('trace-detail').waitFor();
  await until('the request is shown', async () =>
    endpoint.requests[0].raw.startsWith((await first.getByTestId('trace-request').textContent()).slice(0, 4000)));
  assert.match(await first.getByTestId('trace-response').textContent(), /write_file/);
  await rounds(page).nth(1).getByRole('button').first().click();
  const second = rounds(page).nth(1).getByTestId('trace-detail');
  assert.match(await second.innerText(), /bytes as before/);
  for (const tool of ['read_file', 'list_dir']) assert.ok((await second.innerText()).includes(tool), tool);
});

test('the trace goes out as JSON and as OTLP, and can be cleared', async (t) => {
  const { page } = await run(t);
  await page.getByTestId('trace-open').click();
  await rounds(page).first().waitFor();
  const json = await exported(page, 'trace-export-json');
  assert.equal(json.rounds.length, 3);
  const otlp = await exported(page, 'trace-export-otlp');
  assert.ok(otlp.resourceSpans[0].scopeSpans[0].spans.length >= 3);
  await page.getByTestId('trace-clear').click();
  await page.getByTestId('trace-clear-cancel').click();
  assert.equal(await rounds(page).count(), 3);
  await page.getByTestId('trace-clear').click();
  await page.getByTestId('trace-clear-confirm').click();
  await rounds(page).first().waitFor({ state: 'detached' });
});

test('an open trace follows the run', async (t) => {
  const endpoint = await t.endpoint([calls(call('list_dir', {})), text('Done.'), text('Done again.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Look');
  await waitStopped(page, 'Completed');
  await page.getByTestId('trace-open').click();
  await until('two rounds are shown', async () => (await rounds(page).count()) === 2);
  await send(page, 'Once more');
  await until('the third one is shown', async () => (await rounds(page).count()) === 3);
  await page.getByTestId('session-new').click();
  await until('a new session has none', async () => (await rounds(page).count()) === 0);
});

test('the meter opens to what takes the room, and closes with Escape and elsewhere', async (t) => {
  const { page } = await run(t);
  const meter = page.getByTestId('usage-meter');
  assert.match(await meter.innerText(), /\d+%/);
  await meter.click();
  assert.match(await page.getByTestId('usage-popover').innerText(), /of 128,000 tokens/);
  await page.keyboard.press('Escape');
  await page.getByTestId('usage-popover').waitFor({ state: 'detached' });
  await meter.click();
  await page.getByTestId('usage-popover').waitFor();
  await page.getByTestId('composer-input').click();
  await page.getByTestId('usage-popover').waitFor({ state: 'detached' });
});
