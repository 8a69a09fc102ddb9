// A request that failed in a way that may pass is sent again: the wait is shown and can be
// ended, what had come of the failed try goes away.

import assert from 'node:assert/strict';
import { call, calls, failure, held, text, truncated } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { continueRun, reload, send, setup, toolCards, waitAnswer, waitCutOff, waitStopped } from './app.mjs';

const HALF = 'The first half of the answer';
const busy = (seconds) => failure(429, { message: 'Rate limit reached.', code: 'rate_limit_exceeded' }, seconds);

const retrying = (page) => page.getByTestId('retrying');

/** Writes down every line of a count-down as it is drawn, and what of an answer stands beside it. */
const watch = (page) => page.evaluate(() => {
  const text = (id) => document.querySelector(`[data-testid="${id}"]`)?.innerText;
  globalThis.drawn = [];
  new MutationObserver(() => {
    const line = text('retrying');
    if (line && drawn.at(-1)?.line !== line) drawn.push({ line, answer: text('message-assistant') ?? '' });
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
});

const drawn = (page) => page.evaluate(() => globalThis.drawn);

async function start(t, script) {
  const endpoint = await t.endpoint(script);
  const page = await t.open();
  await setup(page, endpoint);
  await watch(page);
  await send(page, 'Go on');
  return { page, endpoint };
}

/** What stands in the conversation, by the names of its parts. */
const parts = (page) => page.evaluate(() =>
  [...document.querySelectorAll('[data-testid="message-user"], [data-testid="round-card"], [data-testid="stop-reason"], [data-testid="retrying"], [data-testid="nudge"]')]
    .map(({ dataset }) => dataset.testid));

test('the wait is counted down with its reason, and leaves no trace', async (t) => {
  const { page, endpoint } = await start(t, [busy(3), text('Here I am.')]);
  await waitStopped(page, 'Completed');
  const lines = (await drawn(page)).map(({ line }) => line);
  for (const line of lines) assert.match(line, /\(try 2 of 5\)\s*127\.0\.0\.1\S* takes no more requests/);
  const seconds = lines.map((line) => Number(line.match(/Trying again (?:in (\d) s|now)/)[1] ?? 0));
  assert.equal(seconds[0], 3);
  assert.ok(seconds.length > 1 && seconds.every((left, n) => n === 0 || left < seconds[n - 1]), `${seconds}`);
  const [first, second] = endpoint.requests;
  assert.ok(second.arrivedAt - first.endedAt >= 2_900, 'the host\'s wish is kept');
  for (const look of ['at once', 'after a reload']) {
    if (look === 'after a reload') await reload(page);
    await waitAnswer(page, 'Here I am.');
    assert.deepEqual(await parts(page), ['message-user', 'round-card', 'stop-reason'], look);
  }
});

test('what had come of a failed try goes away', async (t) => {
  const { page, endpoint } = await start(t, [truncated(text(HALF)), held(text('The whole')), text('Never asked for.')]);
  await waitAnswer(page, 'The whole');
  assert.equal(await page.getByText(HALF).count(), 0);
  const lines = await drawn(page);
  assert.ok(lines.length > 0);
  for (const { line, answer } of lines) {
    assert.match(line, /The answer broke off/);
    assert.equal(answer, '');
  }
  endpoint.release();
  await waitStopped(page, 'Completed');
  await reload(page);
  await waitAnswer(page, 'The whole');
  assert.equal(await page.getByText(HALF).count(), 0);
});

test('a later round is tried again without doing the earlier ones anew', async (t) => {
  const append = call('append_file', { path: 'log.txt', content: 'once\n' });
  const { page, endpoint } = await start(t, [calls(append), busy(0), busy(0), text('Appended.')]);
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), ['append_file ok']);
  assert.deepEqual(endpoint.requests[3].body.messages, endpoint.requests[1].body.messages);
});

test('Stop ends the wait', async (t) => {
  const { page, endpoint } = await start(t, [busy(200), text('Here I am.')]);
  await retrying(page).filter({ hasText: /3 min|1\d\d s|200 s/ }).waitFor();
  await page.getByTestId('composer-stop').click();
  await waitStopped(page, 'Cancelled');
  assert.equal(await retrying(page).count(), 0);
  assert.equal(endpoint.requests.length, 1);
  await send(page, 'And now?');
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests.length, 2);
});

test('a host that wants too long a wait is not waited for', async (t) => {
  const { page, endpoint } = await start(t, [busy(3_600)]);
  assert.match(await waitStopped(page, 'Failed'), /wait|later/i);
  assert.equal(endpoint.requests.length, 1);
});

test('a reload during the wait cuts the run off, and Resume asks again', async (t) => {
  const { page, endpoint } = await start(t, [busy(200), text('Here I am.')]);
  await retrying(page).waitFor();
  await reload(page);
  assert.match(await waitCutOff(page), /round 1\b/);
  await continueRun(page);
  await waitStopped(page, 'Completed');
  await until('the request was sent again', () => endpoint.requests.length === 2);
  assert.deepEqual(endpoint.requests[1].body.messages, endpoint.requests[0].body.messages);
});
