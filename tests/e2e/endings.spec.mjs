// Why a run ends: each reason in words, with the next step to take. RoundLimit and Failed have
// specs of their own (round-limit, errors).

import assert from 'node:assert/strict';
import { plain } from './conversation.mjs';
import { call, calls, counted, endedBy, failure, held, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { change, continueRun, reload, send, setup, toolCards, waitAnswer, waitStopped } from './app.mjs';

const list = call('list_dir', {});

async function run(t, script, { settings, url } = {}) {
  const endpoint = await t.endpoint(script);
  const page = await t.open(url ? { url } : {});
  await setup(page, endpoint);
  if (settings) await change(page, settings);
  await send(page, 'Do it');
  return { page, endpoint };
}

/** The steps that the end of the last run offers. */
const steps = (page) => page.getByTestId('stop-reason').last().getByRole('button')
  .filter({ hasText: /\w/ }).allInnerTexts();

/** What Tabloop told the model, as it stands in the transcript. */
const nudges = (page) => page.getByTestId('nudge').allTextContents();

test('Completed and Finished: the answer, and no further step', async (t) => {
  const { page } = await run(t, [text('It is so.'), calls(call('finish', { answer: 'It is **still** so.' }))]);
  assert.match(await waitStopped(page, 'Completed'), /Done/);
  assert.deepEqual(await steps(page), []);
  await send(page, 'Is it still?');
  assert.match(await waitStopped(page, 'Finished'), /Finished/);
  await waitAnswer(page, 'It is still so.');
  assert.deepEqual(await steps(page), []);
});

const budgets = {
  TokenBudget: {
    settings: { 'kilo-tokens': 1 },
    reply: counted(calls(list), 1_200),
    told: /1,000 tokens/,
    field: 'setting-kilo-tokens',
  },
  CostCap: {
    settings: { 'price-in': '1.00', cents: '0.01' },
    reply: counted(calls(list), 20_000),
    told: /\$0\.01/,
    field: 'setting-cents',
  },
};

for (const [reason, { settings, reply, told, field }] of Object.entries(budgets)) {
  test(`${reason}: the budget can be raised, or as much used again`, async (t) => {
    const { page, endpoint } = await run(t, [reply, text('Done after all.')], { settings });
    assert.match(await waitStopped(page, reason), told);
    assert.deepEqual(await steps(page), ['Continue', 'Raise the budget']);
    assert.equal(endpoint.requests.length, 1);
    await page.getByTestId('raise-budget').click();
    await page.getByTestId(field).waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId(field).waitFor({ state: 'hidden' });
    await continueRun(page);
    await waitStopped(page, 'Completed');
    assert.deepEqual(await toolCards(page), ['list_dir ok']);
  });
}

test('at four fifths of a budget the model is told once', async (t) => {
  const { page } = await run(t, [counted(calls(list), 830), text('Just in time.')], { settings: { 'kilo-tokens': 1 } });
  await waitStopped(page, 'Completed');
  const told = await nudges(page);
  assert.equal(told.length, 1);
  assert.match(told[0], /Four fifths of the budget/);
});

test('TimeLimit: the run ends by the clock', async (t) => {
  // Minutes pass in the time of a few rounds.
  const fast = 'const now = Date.now; const begun = now(); Date.now = () => begun + (now() - begun) * 200;\n';
  const site = await t.serveWith('worker.js', fast);
  const script = (_, n) => calls(call('append_file', { path: 'log.txt', content: `entry-${n}.\n` }));
  const { page } = await run(t, script, { settings: { minutes: 1, 'round-limit': 500 }, url: site.url });
  assert.match(await waitStopped(page, 'TimeLimit'), /1 minute/);
  assert.deepEqual(await steps(page), ['Continue', 'Raise the budget', '1 file changed', 'Undo this run\'s changes']);
});

test('NoProgress: told after the third time, stopped after the fourth', async (t) => {
  const { page, endpoint } = await run(t, () => calls(list));
  assert.match(await waitStopped(page, 'NoProgress'), /same calls came back with the same results/);
  assert.deepEqual(await steps(page), ['Continue']);
  assert.equal(endpoint.requests.length, 4);
  const told = await nudges(page);
  assert.equal(told.length, 1);
  assert.match(told[0], /same calls three times/);
  assert.match(plain(endpoint.requests[3].body.messages.at(-1).content), /same calls three times/);
});

test('ToolFailures: told after the third time, stopped after the fifth', async (t) => {
  const { page, endpoint } = await run(t, (_, n) => calls(call('read_file', { path: `missing-${n}.txt` })));
  assert.match(await waitStopped(page, 'ToolFailures'), /read_file failed again and again/);
  assert.deepEqual(await steps(page), ['Continue']);
  assert.equal(endpoint.requests.length, 5);
  assert.deepEqual(await toolCards(page), Array(5).fill('read_file error'));
  assert.match((await nudges(page)).join('\n'), /read_file has failed 3 times running.*missing-3\.txt/);
});

test('LengthLimit: an answer is continued three times, and no more', async (t) => {
  const { page, endpoint } = await run(t, (_, n) => endedBy(text(`Part ${n}, and`), 'length'));
  assert.match(await waitStopped(page, 'LengthLimit'), /length limit/);
  assert.deepEqual(await steps(page), ['Continue']);
  assert.equal(endpoint.requests.length, 4);
  for (const n of [1, 2, 3, 4]) await waitAnswer(page, `Part ${n}, and`);
});

test('an answer that was cut once is continued to its end; a call that was cut is not run', async (t) => {
  const { page } = await run(t, [
    endedBy(calls(call('write_file', '{"path": "half.txt", "content": "ha')), 'length'),
    endedBy(text('I have written'), 'length'),
    text('nothing.'),
  ]);
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), ['write_file error']);
  assert.equal(await page.locator('[data-testid="file-row"][data-path="half.txt"]').count(), 0);
  await waitAnswer(page, 'nothing.');
});

test('ContentFilter: to word it differently is all there is', async (t) => {
  const { page } = await run(t, [endedBy(text('I'), 'content_filter'), text('This I can answer.')]);
  assert.match(await waitStopped(page, 'ContentFilter'), /Word the task differently/);
  assert.deepEqual(await steps(page), []);
  await send(page, 'In other words');
  await waitStopped(page, 'Completed');
});

test('Failed, as the conversation is too long: a new session is the way on', async (t) => {
  const tooLong = failure(400, {
    message: 'This model\'s maximum context length is 8192 tokens.', code: 'context_length_exceeded',
  });
  const { page, endpoint } = await run(t, [tooLong, text('Here there is room.')]);
  assert.match(await waitStopped(page, 'Failed'), /longer than the model can take in\. Start a new session/);
  assert.deepEqual(await steps(page), ['Try again', 'New session']);
  assert.equal(endpoint.requests.length, 1, 'there is nothing to leave out');
  await page.getByTestId('stop-reason').getByRole('button', { name: 'New session' }).click();
  await send(page, 'Do it here');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'Here there is room.');
});

test('Cancelled: what is done stays, and Continue goes on; the end is the same after a reload', async (t) => {
  const { page } = await run(t, [calls(list), held(text('I was about to')), text('Now it is done.')]);
  await waitAnswer(page, 'I was about to');
  await page.getByTestId('composer-stop').click();
  const told = await waitStopped(page, 'Cancelled');
  assert.match(told, /Stopped by you/);
  await reload(page);
  assert.equal(await waitStopped(page, 'Cancelled'), told);
  assert.deepEqual(await steps(page), ['Continue']);
  await continueRun(page);
  await waitStopped(page, 'Completed');
});
