// Going back: rounds and runs are undone and redone from the conversation, and files made
// what they were at a checkpoint.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, importFiles, openFile, reload, send, setup, shownText, waitAnswer, waitStopped } from './app.mjs';

const TASK = 'Write the plan, then the list';

const script = () => [
  calls(call('write_file', { path: 'plan.md', content: 'one\n' })),
  calls(call('write_file', { path: 'plan.md', content: 'two\n' }), call('write_file', { path: 'list.md', content: 'a\n' })),
  text('Both are there.'),
];

const rounds = (page) => page.getByTestId('round-card');
const toast = (page, words) => page.getByTestId('toast').filter({ hasText: words });

async function run(t, more = [], options = {}) {
  const endpoint = await t.endpoint([...script(), ...more], options);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, TASK);
  await waitStopped(page, 'Completed');
  return { page, endpoint };
}

/** Opens the question at a round, and waits until it tells what would change. */
async function askAt(page, at) {
  await rounds(page).nth(at).hover();
  await rounds(page).nth(at).getByTestId('checkpoint-undo').click();
  const panel = page.getByTestId('undo-panel');
  await until('the question tells its files', async () => /Files:|No file|can't/.test(await panel.innerText()));
  return panel;
}

async function readsAs(page, path, content) {
  await openFile(page, path);
  await until(`${path} reads ${content}`, async () => (await shownText(page)).trim() === content);
}

test('a round is undone in files and conversation, over a reload, and brought in again', async (t) => {
  const { page } = await run(t);
  const panel = await askAt(page, 1);
  assert.match(await panel.innerText(), /Undo this round and the one after it\?/);
  assert.match(await panel.innerText(), /Files: list\.md, plan\.md\./);
  await page.getByTestId('undo-confirm').click();
  await until('one round is left', async () => (await rounds(page).count()) === 1);
  await fileRow(page, 'list.md').waitFor({ state: 'hidden' });
  await toast(page, 'Undone in the files and in the conversation').waitFor();
  await readsAs(page, 'plan.md', 'one');

  await reload(page);
  assert.equal(await rounds(page).count(), 1);
  await page.getByTestId('checkpoint-redo').click();
  await until('all rounds are back', async () => (await rounds(page).count()) === 3);
  await fileRow(page, 'list.md').waitFor();
  await readsAs(page, 'plan.md', 'two');
  await page.getByTestId('undone-card').waitFor({ state: 'hidden' });
});

test('a run is undone in its files alone, and the toast brings it back', async (t) => {
  const { page } = await run(t);
  const footer = page.getByTestId('stop-reason').last();
  await footer.getByTestId('review-changes').filter({ hasText: '2 files changed' }).waitFor();
  await footer.getByTestId('checkpoint-undo').click();
  await page.getByTestId('undo-files').waitFor();
  await until('files are what is offered', () => page.getByTestId('undo-files').isChecked());
  await page.getByTestId('undo-confirm').click();
  await fileRow(page, 'plan.md').waitFor({ state: 'hidden' });
  assert.equal(await rounds(page).count(), 3);
  await footer.getByTestId('review-changes').waitFor({ state: 'hidden' });
  await toast(page, 'The conversation stays').getByTestId('toast-undo').click();
  await fileRow(page, 'plan.md').waitFor();
  await footer.getByTestId('review-changes').waitFor();
});

test('what is said after an undo goes on from there, and nothing is left to redo', async (t) => {
  const { page, endpoint } = await run(t, [text('Another way, then.')], { shortens: true });
  await askAt(page, 0);
  await page.getByTestId('undo-chat').check();
  await page.getByTestId('undo-confirm').click();
  await until('no round is left', async () => (await rounds(page).count()) === 0);
  await fileRow(page, 'list.md').waitFor();
  await send(page, 'Do it in another way');
  await waitAnswer(page, 'Another way');
  assert.equal(await page.getByTestId('checkpoint-redo').count(), 0);
  assert.deepEqual(lastResults(endpoint.requests.at(-1).body), [], 'no result of a round that was taken out is sent');
});

test('with a task undone its words are in the composer again', async (t) => {
  const { page } = await run(t);
  await page.getByTestId('stop-reason').last().getByTestId('checkpoint-undo').click();
  await until('both can be chosen', () => page.getByTestId('undo-both').isEnabled());
  await page.getByTestId('undo-both').check();
  await page.getByTestId('undo-confirm').click();
  await page.getByTestId('message-user').waitFor({ state: 'hidden' });
  assert.equal(await page.getByTestId('composer-input').inputValue(), TASK);
  await page.getByTestId('checkpoint-redo').click();
  await page.getByTestId('message-user').waitFor();
});

test('a file that another session changed since is named, and nothing is undone', async (t) => {
  const { page } = await run(t, [
    calls(call('write_file', { path: 'list.md', content: 'of another session\n' })),
    text('Written.'),
  ]);
  await page.getByTestId('session-new').first().click();
  await send(page, 'Write the list anew');
  await waitStopped(page, 'Completed');
  await page.getByTestId('session-row').filter({ hasText: TASK }).click();
  await until('the first session is shown', async () => (await rounds(page).count()) === 3);
  const panel = await askAt(page, 1);
  assert.match(await panel.innerText(), /list\.md was changed since/);
  assert.ok(await page.getByTestId('undo-both').isDisabled());
  assert.ok(await page.getByTestId('undo-chat').isChecked());
  await page.getByTestId('undo-cancel').click();
  assert.equal(await rounds(page).count(), 3);
  await readsAs(page, 'list.md', 'of another session');
});

test('while a run goes on nothing is undone', async (t) => {
  const { page } = await run(t, [held(text('Still at it'))]);
  await send(page, 'More');
  await waitAnswer(page, 'Still at it');
  assert.equal(await page.getByTestId('checkpoint-undo').count(), 0);
  await page.getByTestId('composer-stop').click();
  await waitStopped(page, 'Cancelled');
  await page.getByTestId('checkpoint-undo').first().waitFor({ state: 'attached' });
});

test('all files go back to a checkpoint, and forward again', async (t) => {
  const endpoint = await t.endpoint(script());
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'mine.txt': 'mine\n' });
  await send(page, TASK);
  await waitStopped(page, 'Completed');
  await page.getByTestId('view-changes').click();
  await page.getByTestId('checkpoints-open').click();
  const checkpoints = page.getByTestId('checkpoint');
  await until('both rounds have one', async () => (await checkpoints.count()) === 2);
  assert.match(await checkpoints.nth(0).innerText(), new RegExp(`Before round 2 of: ${TASK}`));
  await checkpoints.nth(0).getByTestId('checkpoint-restore').click();
  await page.getByTestId('checkpoint-confirm').click();
  await toast(page, 'All files are as they were').waitFor();
  await until('the way back is one too', async () => (await checkpoints.count()) === 3);
  await page.getByTestId('view-files').click();
  await fileRow(page, 'list.md').waitFor({ state: 'hidden' });
  await readsAs(page, 'plan.md', 'one');
  await readsAs(page, 'mine.txt', 'mine');
  await toast(page, 'All files are as they were').getByTestId('toast-undo').click();
  await fileRow(page, 'list.md').waitFor();
  await readsAs(page, 'plan.md', 'two');
});
