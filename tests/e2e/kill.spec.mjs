// The browser is killed in the middle of a run: a new one on the same profile goes on exactly
// where the run stood. Whatever was done is done once, and the model never learns of it.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import {
  continueRun, kill, openFile, send, setApproval, setup, shownText, toolCards, waitAnswer, waitCutOff, waitStopped, whenFirstIsDone,
} from './app.mjs';

const TASK = 'Write the log';
const append = (n, path = 'log.txt') => call('append_file', { path, content: `entry-${n}.\n` });
const read = call('read_file', { path: 'log.txt' });

/** Begins the task in a browser with the profile. */
async function begin(t, dir, endpoint, before = async () => {}) {
  const page = await t.openProfile(dir);
  await setup(page, { baseUrl: endpoint.baseUrl, key: '' });
  await before(page);
  await send(page, TASK);
  return page;
}

/** A conversation without what tells one request from another. */
const said = ({ body }) => JSON.parse(JSON.stringify(body.messages).replace(/call_\d+_/g, 'call_'));

/** Runs a script undisturbed, and compares what came of it with what came after the kill. */
async function isLikeUndisturbed(t, script, endpoint, page) {
  const other = await t.endpoint(script);
  const calm = await t.open();
  await setup(calm, { baseUrl: other.baseUrl, key: '' });
  await send(calm, TASK);
  for (const one of [calm, page]) await waitStopped(one, 'Completed');
  assert.deepEqual(said(endpoint.requests.at(-1)), said(other.requests.at(-1)));
  assert.deepEqual(await toolCards(page), await toolCards(calm));
  const files = (one) => one.getByTestId('file-row').evaluateAll((rows) => rows.map(({ dataset }) => dataset.path));
  assert.deepEqual(await files(page), await files(calm));
  for (const one of [calm, page]) await openFile(one, 'log.txt');
  await until('the log is the same', async () => (await shownText(page)) === (await shownText(calm)));
}

/** Each line of the log stands in it once. */
function isWhole(endpoint, count) {
  const [log] = lastResults(endpoint.requests.at(-1).body);
  assert.deepEqual(log.match(/entry-\d+\./g), Array.from({ length: count }, (_, n) => `entry-${n}.`));
}

test('killed in the middle of a round of many writing calls', async (t) => {
  // So many that the kill comes long before the last.
  const count = 600;
  const script = () => [calls(...Array.from({ length: count }, (_, n) => append(n))), calls(read), text('That is the log.')];
  const [dir, endpoint] = [await t.profile(), await t.endpoint(script())];
  const killed = await begin(t, dir, endpoint, (page) => whenFirstIsDone(page, 'hold'));
  const shown = Number(await until('a call is shown as done', () => killed.evaluate(() => sessionStorage.getItem('done'))));
  await kill(killed, dir);

  const page = await t.openProfile(dir);
  assert.match(await waitCutOff(page), /round 1\b.*append_file/);
  const done = (await toolCards(page)).filter((card) => card === 'append_file ok').length;
  assert.ok(shown > 0 && done >= shown && done < count, `${shown} calls were shown as done, ${done} are after the kill`);
  await continueRun(page);
  await isLikeUndisturbed(t, script(), endpoint, page);
  isWhole(endpoint, count);
  assert.equal(endpoint.requests.length, 3);
});

test('killed while the next answer is on its way', async (t) => {
  const first = calls(append(0), append(1), append(2));
  const rest = [calls(append(3), read), text('That is the log.')];
  const [dir, endpoint] = [await t.profile(), await t.endpoint([first, held(text('I was about to')), ...rest])];
  const killed = await begin(t, dir, endpoint);
  await waitAnswer(killed, 'I was about to');
  await kill(killed, dir);

  const page = await t.openProfile(dir);
  assert.match(await waitCutOff(page), /round 2\b/);
  assert.deepEqual(await toolCards(page), Array(3).fill('append_file ok'));
  await continueRun(page);
  await isLikeUndisturbed(t, [first, ...rest], endpoint, page);
  assert.deepEqual(said(endpoint.requests[2]), said(endpoint.requests[1]));
  assert.match(lastResults(endpoint.requests.at(-1).body)[1], /entry-0\.[^]*entry-1\.[^]*entry-2\.[^]*entry-3\./);
});

test('killed while an approval waits', async (t) => {
  const script = () => [calls(append(0), append(1), append(2)), calls(read), text('That is the log.')];
  const [dir, endpoint] = [await t.profile(), await t.endpoint(script())];
  const killed = await begin(t, dir, endpoint, (page) => setApproval(page, 'writes'));
  const asked = (page, n) => page.getByTestId('diff-file').filter({ hasText: `entry-${n}.` }).last();
  await killed.getByTestId('approval-allow').click();
  await killed.locator('[data-testid="tool-card"][data-state="ok"]').waitFor();
  await asked(killed, 1).waitFor();
  await kill(killed, dir);

  const page = await t.openProfile(dir);
  await asked(page, 1).waitFor();
  assert.equal(await page.getByTestId('resume-card').count(), 0);
  assert.deepEqual(await toolCards(page), ['append_file ok', 'append_file waiting', 'append_file waiting']);
  await page.getByTestId('approval-allow').click();
  await asked(page, 2).waitFor();
  await page.getByTestId('approval-allow').click();
  await isLikeUndisturbed(t, script(), endpoint, page);
  isWhole(endpoint, 3);
});
