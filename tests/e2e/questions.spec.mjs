// What a run asks of its user, and what the user tells it while it is open.

import assert from 'node:assert/strict';
import { lastResults, plain } from './conversation.mjs';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { reload, send, setup, toolCards, waitAnswer, waitCutOff, waitStopped } from './app.mjs';

const focused = (page) => page.evaluate(() => document.activeElement.dataset.testid);

/** The texts of the user in a request, in order. */
const said = ({ body }) => body.messages.filter(({ role }) => role === 'user').map(({ content }) => plain(content));

test('a question of the model is answered by an option, or in words of one\'s own', async (t) => {
  const ask = (question) => calls(call('ask_user', { question, options: ['red', 'blue'] }));
  const endpoint = await t.endpoint([ask('Which colour?'), ask('And which other?'), text('So be it.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Paint it');
  await page.getByTestId('question-card').filter({ hasText: 'Which colour?' }).waitFor();
  assert.deepEqual(await toolCards(page), ['ask_user waiting']);
  assert.equal(await focused(page), 'question-card');
  assert.ok(!(await page.getByTestId('composer-input').isVisible()), 'the question has the composer\'s place');
  await page.getByTestId('question-option').filter({ hasText: 'blue' }).click();

  await page.getByTestId('question-card').filter({ hasText: 'And which other?' }).waitFor();
  await page.getByTestId('question-text').fill('a shade of green');
  await page.getByTestId('question-send').click();
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[1].body)[0], /blue/);
  assert.match(lastResults(endpoint.requests[2].body)[0], /a shade of green/);
  await until('the composer has the focus again', async () => (await focused(page)) === 'composer-input');
});

test('a plan is changed and approved, and its steps are ticked', async (t) => {
  const steps = (...list) => calls(call('todo', { items: list.map(([step, state]) => ({ text: step, state })) }));
  const endpoint = await t.endpoint([
    steps(['Look', 'open'], ['Guess', 'open'], ['Tell', 'open']),
    steps(['Look', 'done'], ['Tell it twice', 'doing']),
    text('Told.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await page.getByTestId('composer-mode').selectOption('plan');
  await send(page, 'Find out');
  await page.getByTestId('plan-card').waitFor();
  await page.getByTestId('plan-remove').nth(1).click();
  await page.getByTestId('plan-step').nth(1).fill('Tell it twice');
  await page.getByTestId('plan-approve').click();
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[1].body)[0], /Tell it twice/);
  assert.equal(await page.getByTestId('todo-card').count(), 1);
  assert.deepEqual(
    await page.getByTestId('todo-item').evaluateAll((items) => items.map(({ dataset }) => dataset.state)),
    ['done', 'doing'],
  );
});

test('a run that asks comes back by itself after a reload', async (t) => {
  const endpoint = await t.endpoint([calls(call('ask_user', { question: 'Shall I?' })), text('Done so.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Do it');
  await page.getByTestId('question-card').waitFor();
  await reload(page);
  await page.getByTestId('question-card').waitFor();
  assert.equal(await page.getByTestId('resume-card').count(), 0);
  await page.getByTestId('question-text').fill('Yes');
  await page.keyboard.press('Enter');
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[1].body)[0], /Yes/);
});

test('Stop ends a run that asks', async (t) => {
  const endpoint = await t.endpoint([calls(call('ask_user', { question: 'Shall I?' }))]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Do it');
  await page.getByTestId('question-card').waitFor();
  await page.getByTestId('composer-stop').click();
  await waitStopped(page, 'Cancelled');
  await page.getByTestId('question-card').waitFor({ state: 'detached' });
  assert.deepEqual(await toolCards(page), ['ask_user error']);
});

test('a word during the run goes in at the next round', async (t) => {
  const endpoint = await t.endpoint([held(text('I look at a.md')), text('And at b.md.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Look at a.md');
  await waitAnswer(page, 'I look at a.md');
  t.sent.push('Also at b.md');
  await page.getByTestId('composer-input').fill('Also at b.md');
  await page.getByTestId('composer-queue').click();
  await page.getByTestId('queued-message').filter({ hasText: 'Also at b.md' }).waitFor();
  endpoint.release();
  await waitStopped(page, 'Completed');
  assert.equal(await page.getByTestId('queued-message').count(), 0);
  assert.deepEqual(await page.getByTestId('message-user').allInnerTexts(), ['Look at a.md', 'Also at b.md']);
  assert.ok(said(endpoint.requests[1]).some((message) => message.includes('Also at b.md')));
});

test('what waits can be taken back', async (t) => {
  const endpoint = await t.endpoint([held(text('I look')), text('Never asked for.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Look');
  await waitAnswer(page, 'I look');
  for (const word of ['one', 'two']) {
    await page.getByTestId('composer-input').fill(word);
    await page.keyboard.press('Enter');
    await page.getByTestId('queued-message').filter({ hasText: word }).waitFor();
  }
  await page.getByTestId('queue-take-back').click();
  await page.getByTestId('queued-message').first().waitFor({ state: 'detached' });
  await until('the words are back', async () => (await page.getByTestId('composer-input').inputValue()) === 'one\n\ntwo');
  endpoint.release();
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests.length, 1);
});

test('a run that was cut off can be ended where it stands', async (t) => {
  const endpoint = await t.endpoint([held(text('I was about to'))]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Say it');
  await waitAnswer(page, 'I was about to');
  await reload(page);
  assert.match(await waitCutOff(page), /round 1\b/);
  await page.getByTestId('interrupted-end').click();
  await waitStopped(page, 'Cancelled');
  assert.equal(await page.getByTestId('resume-card').count(), 0);
});

test('what the model hands in with finish is the answer', async (t) => {
  const endpoint = await t.endpoint([calls(call('finish', { answer: 'It is **done**.' }))]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Do it');
  await waitStopped(page, 'Finished');
  await waitAnswer(page, 'It is done.');
});
