// The trace of a session, and the meter: what was sent, what came back, and what takes the room.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { KEY, send, setup, waitStopped } from './app.mjs';

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
  const content = await readFile(await download.path(), 'utf8');
  assert.ok(!content.includes(KEY), `${id} holds no key`);
  return JSON.parse(content);
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
  const { page, endpoint } = await run(t);
  await page.getByTestId('trace-open').click();
  await rounds(page).first().waitFor();
  const json = await exported(page, 'trace-export-json');
  assert.equal(json.rounds.length, 3);
  // The first round holds its request whole, each later one what was added to the one before.
  const [first, ...added] = json.rounds.map(({ request }) => request);
  const messages = [...JSON.parse(first).messages, ...JSON.parse(`[${added.join('').slice(1)}]`)];
  assert.deepEqual(messages, endpoint.requests.at(-1).body.messages);
  assert.deepEqual(JSON.parse(first).tools, endpoint.requests[0].body.tools);
  const otlp = await exported(page, 'trace-export-otlp');
  const { spans } = otlp.resourceSpans[0].scopeSpans[0];
  const [agent, ...below] = spans;
  const under = (parent) => below.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
  assert.equal(agent.name, 'invoke_agent tabloop');
  assert.deepEqual(under(agent).map(({ name }) => name), Array(3).fill('chat scripted-model'));
  assert.deepEqual(
    under(agent).map((round) => under(round).map(({ name }) => name)),
    [['execute_tool write_file'], ['execute_tool read_file', 'execute_tool list_dir'], []],
  );
  for (const { startTimeUnixNano, endTimeUnixNano, traceId } of spans) {
    assert.equal(traceId, agent.traceId);
    assert.ok(BigInt(startTimeUnixNano) >= BigInt(agent.startTimeUnixNano) && BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano));
  }
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
