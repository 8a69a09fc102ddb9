// The ways of working beside Act: by a plan that the user approves, and under a critic's eye.

import assert from 'node:assert/strict';
import { lastResults, plain } from './conversation.mjs';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { change, fileRow, openFile, reload, send, setup, toolCards, waitAnswer, waitShown, waitStopped } from './app.mjs';

const write = (path, content) => call('write_file', { path, content });
const todo = (...steps) => call('todo', { items: steps.map(([step, state = 'open']) => ({ text: step, state })) });

/** Opens the page and begins a task in a mode. */
async function start(t, mode, script, settings) {
  const endpoint = await t.endpoint(script);
  const page = await t.open();
  await setup(page, endpoint);
  if (settings) await change(page, settings);
  await page.getByTestId('composer-mode').selectOption(mode);
  await send(page, 'Make a.txt');
  return { page, endpoint };
}

/** The steps of the live list, as `done: Write it`. */
const steps = (page) => page.getByTestId('todo-item').evaluateAll((items) =>
  items.map((item) => `${item.dataset.state}: ${item.querySelector('.todo__text').textContent}`));

const hasSteps = (page, ...expected) => until(`the steps are ${expected.join(', ')}`, async () =>
  JSON.stringify(await steps(page)) === JSON.stringify(expected));

test('a plan is edited, added to and approved; nothing is written before, each step is ticked', async (t) => {
  const { page, endpoint } = await start(t, 'plan', [
    calls(write('early.txt', 'too early\n')),
    calls(call('list_dir', {})),
    calls(todo(['Look'], ['Write'])),
    calls(write('a.txt', 'planned\n'), todo(['Look', 'done'], ['Write a.txt', 'doing'], ['Check it'])),
    held(calls(todo(['Look', 'done'], ['Write a.txt', 'done'], ['Check it', 'done']))),
    text('All of it is done.'),
  ]);
  await page.getByTestId('plan-card').waitFor();
  assert.deepEqual(await toolCards(page), ['write_file error', 'list_dir ok', 'todo waiting']);
  assert.match(lastResults(endpoint.requests[1].body)[0], /approved a plan/);
  assert.equal(await page.getByTestId('file-row').count(), 0);

  await page.getByTestId('plan-step').nth(1).fill('Write a.txt');
  await page.getByTestId('plan-add').click();
  await until('the new step has the focus', () => page.evaluate(() => document.activeElement.value === ''));
  await page.keyboard.type('Check it');
  assert.equal(endpoint.requests.length, 3);
  await page.getByTestId('plan-approve').click();

  await endpoint.arrived(5);
  assert.match(lastResults(endpoint.requests[3].body)[0], /1\. Look\n2\. Write a\.txt\n3\. Check it/);
  await hasSteps(page, 'done: Look', 'doing: Write a.txt', 'open: Check it');
  await fileRow(page, 'a.txt').waitFor();
  endpoint.release();
  await waitStopped(page, 'Completed');
  await hasSteps(page, 'done: Look', 'done: Write a.txt', 'done: Check it');
  assert.equal(await page.getByTestId('todo-card').count(), 1);
});

test('a plan is sent back with a word, and the next one is asked about anew', async (t) => {
  const { page, endpoint } = await start(t, 'plan', [
    calls(todo(['Think about it'], ['Write'])),
    calls(todo(['Write a.txt'])),
    calls(write('a.txt', 'written\n')),
    calls(todo(['Write a.txt', 'done'])),
    text('Done.'),
  ]);
  await page.getByTestId('plan-card').waitFor();
  await page.getByTestId('plan-word').fill('in one step');
  await page.getByTestId('plan-deny').click();
  await until('the second plan is shown', async () =>
    (await page.getByTestId('plan-card').count()) === 1 && (await page.getByTestId('plan-step').count()) === 1);
  assert.match(lastResults(endpoint.requests[1].body)[0], /in one step/);
  await page.getByTestId('plan-approve').click();
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), ['todo error', 'todo ok', 'write_file ok', 'todo ok']);
  await hasSteps(page, 'done: Write a.txt');
});

test('a plan that was open comes back after a reload', async (t) => {
  const { page } = await start(t, 'plan', [calls(todo(['Write a.txt'])), calls(write('a.txt', 'x\n')), text('Done.')]);
  await page.getByTestId('plan-card').waitFor();
  await reload(page);
  await page.getByTestId('plan-approve').click();
  await waitStopped(page, 'Completed');
  await hasSteps(page, 'open: Write a.txt');
  await fileRow(page, 'a.txt').waitFor();
});

const critiques = (page) => page.getByTestId('critique-card').evaluateAll((cards) =>
  cards.map((card) => `${card.dataset.passed}: ${card.innerText.replace(/\s+/g, ' ').trim()}`));

test('a critic\'s word leads to a second attempt, which passes', async (t) => {
  const { page, endpoint } = await start(t, 'reflect', [
    calls(write('a.txt', 'red\n')),
    text('It is red.'),
    text('FAIL\n- a.txt is red, not blue'),
    calls(write('a.txt', 'blue\n')),
    text('It is blue.'),
    text('PASS'),
  ]);
  await waitStopped(page, 'Completed');
  const [first, second] = await critiques(page);
  assert.match(first, /^false: Attempt 1\b.*a\.txt is red, not blue/);
  assert.match(second, /^true: Attempt 2\b/);
  await waitAnswer(page, 'It is blue.');
  await openFile(page, 'a.txt');
  await waitShown(page, 'blue\n');

  const critic = endpoint.requests[2].body;
  assert.equal(critic.messages.length, 2);
  assert.ok(!('tools' in critic));
  assert.match(plain(critic.messages[1].content), /Make a\.txt[^]*red/);
  assert.match(plain(endpoint.requests[3].body.messages.at(-1).content), /a\.txt is red, not blue/);
  await reload(page);
  assert.deepEqual(await critiques(page), [first, second]);
});

test('there are as many further attempts as the settings allow', async (t) => {
  const answer = ({ body }) => text(body.tools ? 'It is done.' : 'FAIL: there is no a.txt');
  const { page, endpoint } = await start(t, 'reflect', answer, { attempts: 1 });
  await waitStopped(page, 'Completed');
  assert.deepEqual((await critiques(page)).map((critique) => critique.split(':')[0]), ['false', 'false']);
  assert.equal(endpoint.requests.length, 4);
});
