// Branches: a task is edited or answered again, and one goes between what came of it.

import assert from 'node:assert/strict';
import { plain } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, reload, send, setup, waitAnswer, waitStopped } from './app.mjs';

const tasks = (page) => page.getByTestId('message-user').allInnerTexts();
const place = (page) => page.getByTestId('branch-place');

/** Presses a button below the last task. */
async function press(page, id) {
  await page.getByTestId('message-user').last().hover();
  await page.getByTestId(id).last().click();
  const panel = page.getByTestId('task-panel');
  await until('it is told what becomes of files', async () => /Files|files/.test(await panel.locator('[role=status]').innerText()));
  return panel;
}

test('a task is edited, and one goes between its versions, also after a reload', async (t) => {
  let n = 0;
  const endpoint = await t.endpoint(({ body }) => text(`${(n += 1)}: ${plain(body.messages.at(-1).content)}`));
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'First');
  await waitStopped(page, 'Completed');
  await send(page, 'Second');
  await waitStopped(page, 'Completed');

  const panel = await press(page, 'task-edit');
  assert.match(await panel.innerText(), /No file was changed since/);
  await page.getByTestId('task-words').fill('Second, in other words');
  await page.keyboard.press('Control+Enter');
  await waitAnswer(page, '3: Second, in other words');
  await waitStopped(page, 'Completed');
  assert.deepEqual(await tasks(page), ['First', 'Second, in other words']);
  assert.equal(await place(page).innerText(), 'Version 2 of 2');
  const sent = endpoint.requests.at(-1).body.messages.map(({ content }) => plain(content));
  assert.equal(sent.includes('Second'), false);

  await page.getByTestId('branch-before').click();
  await waitAnswer(page, '2: Second');
  assert.deepEqual(await tasks(page), ['First', 'Second']);
  assert.equal(await place(page).innerText(), 'Version 1 of 2');
  await until('the focus stays at the switcher', () => page.evaluate(() => document.activeElement?.dataset.testid === 'branch-next'));
  await reload(page);
  await waitAnswer(page, '2: Second');
  await page.getByTestId('branch-next').click();
  await waitAnswer(page, '3: Second, in other words');
  await send(page, 'Third');
  await waitStopped(page, 'Completed');
  const history = JSON.stringify(endpoint.requests.at(-1).body.messages);
  assert.match(history, /Second, in other words.*Third/);
  assert.doesNotMatch(history, /2: Second"/);
});

test('an answer is given again with the files as they were, and the old one is kept', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'old.md', content: 'one\n' })),
    text('Old.'),
    calls(call('write_file', { path: 'new.md', content: 'two\n' })),
    text('New.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Write');
  await waitStopped(page, 'Completed');
  await fileRow(page, 'old.md').waitFor();

  const panel = await press(page, 'task-again');
  assert.match(await panel.innerText(), /old\.md/);
  await page.getByTestId('task-files').check();
  await page.getByTestId('task-again-do').click();
  await waitAnswer(page, 'New.');
  await waitStopped(page, 'Completed');
  await fileRow(page, 'old.md').waitFor({ state: 'detached' });
  await fileRow(page, 'new.md').waitFor();
  assert.equal(await place(page).innerText(), 'Answer 2 of 2');
  await page.getByTestId('branch-before').click();
  await waitAnswer(page, 'Old.');
  // The files are not touched by that.
  await fileRow(page, 'new.md').waitFor();
});

test('a session begins where another one parts', async (t) => {
  const endpoint = await t.endpoint(({ body }) => text(`Heard: ${plain(body.messages.at(-1).content)}`), { shortens: true });
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'First');
  await waitStopped(page, 'Completed');
  await send(page, 'Second');
  await waitStopped(page, 'Completed');
  await page.getByTestId('message-user').last().hover();
  await page.getByTestId('task-copy').last().click();
  await until('the new session is shown', async () => (await tasks(page)).length === 1);
  assert.equal(await page.getByTestId('composer-input').inputValue(), 'Second');
  await page.getByTestId('session-row').filter({ hasText: 'First (2)' }).waitFor();
  await send(page, 'Other');
  await waitStopped(page, 'Completed');
  assert.deepEqual(await tasks(page), ['First', 'Other']);
  await page.getByTestId('session-row').filter({ hasNotText: '(2)' }).click();
  await until('the old one is whole', async () => (await tasks(page)).join() === 'First,Second');
});
