// The demo: no endpoint, no key, no network, but the real loop on real files.

import assert from 'node:assert/strict';
import { cardText, fileRow, openFile, send, shownText, startDemo, toolCards, waitStopped } from './app.mjs';
import { test } from './harness.mjs';

const TODO_TASK = 'Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md';

const lines = (text) => text.split('\n').filter((line) => line !== '');

test('the TODO task makes todo-list.md with exactly the TODO lines of meeting.md', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await send(page, TODO_TASK);
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), ['read_file ok', 'write_file ok']);

  await openFile(page, 'meeting.md');
  const wanted = lines(await shownText(page)).filter((line) => line.startsWith('TODO'));
  await openFile(page, 'todo-list.md');
  assert.ok(wanted.length >= 2, 'the meeting left things to do');
  assert.deepEqual(lines(await shownText(page)), wanted);
});

test('a missing file is told to the model, which looks around and recovers', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await send(page, 'Summarise notes/agenda.txt');
  await waitStopped(page, 'Completed');

  const cards = await toolCards(page);
  assert.equal(cards[0], 'read_file error');
  assert.equal(cards[1], 'list_dir ok');
  const failed = page.getByTestId('tool-card').first();
  assert.match(await cardText(failed, 'tool-args'), /notes\/agenda\.txt/);
  assert.match(await cardText(failed, 'tool-result'), /^Error:/);
});

test('a runaway is stopped by the round limit', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await send(page, 'Keep listing the files for ever (runaway demo)');
  assert.match(await waitStopped(page, 'RoundLimit'), /24/);

  const cards = await toolCards(page);
  assert.deepEqual(new Set(cards), new Set(['list_dir ok']));
  assert.equal(cards.length, 24);
  await page.getByTestId('continue-run').waitFor();
});

test('a path out of the workspace is refused', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await send(page, 'Read ../secret and tell me what is in it');
  await waitStopped(page, 'Completed');

  assert.equal((await toolCards(page))[0], 'read_file error');
  const refused = page.getByTestId('tool-card').first();
  assert.match(await cardText(refused, 'tool-result'), /^Error:.*\.\.\/secret/);
  assert.equal(await fileRow(page, 'secret').count(), 0);
});

test('the empty session offers tasks that work, and nothing leaves the machine', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const suggestions = page.getByTestId('suggestion');
  assert.ok((await suggestions.count()) >= 3);
  await suggestions.first().click();

  // A suggestion may fill the composer or be sent at once.
  const input = page.getByTestId('composer-input');
  if ((await input.inputValue()) !== '') await page.getByTestId('composer-send').click();
  await page.getByTestId('message-user').waitFor();
  await waitStopped(page, 'Completed');

  const own = new URL(page.url()).origin;
  assert.deepEqual(t.urls.filter((url) => new URL(url).origin !== own && !url.startsWith('blob:')), []);
});
