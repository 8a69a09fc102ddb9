// A call that was cut off and may have happened: what is asked, and the three answers.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { fileRow, reload, send, setApproval, setup, waitStopped } from './app.mjs';

/**
 * Opens a page whose last call was begun and cut off. No tool of the release reaches outside, so
 * the mark is put behind a call that waits for its approval.
 */
async function cutOff(t, endpoint) {
  const page = await t.open();
  await setup(page, endpoint);
  await setApproval(page, 'writes');
  await send(page, 'Write it');
  await page.getByTestId('approval-card').waitFor();
  await page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const database = await done(indexedDB.open('tabloop'));
    const transaction = database.transaction('messages', 'readwrite');
    const messages = transaction.objectStore('messages');
    const [keys, rows] = [await done(messages.getAllKeys()), await done(messages.getAll())];
    const [session, seq] = keys.at(-1);
    const last = JSON.parse(rows.at(-1));
    const entry = { Begun: { call_id: last.entry.Assistant.calls[0].id } };
    await done(messages.put(JSON.stringify({ ...last, seq: seq + 1, entry }), [session, seq + 1]));
    database.close();
  });
  await reload(page);
  await page.getByTestId('cut-off-card').waitFor();
  return page;
}

const script = () => [calls(call('write_file', { path: 'a.txt', content: 'one\n' })), text('Done.')];

test('it is shown with what it works on, and run again by a key', async (t) => {
  const endpoint = await t.endpoint(script());
  const page = await cutOff(t, endpoint);
  const card = page.getByTestId('cut-off-card');
  assert.match(await card.innerText(), /write_file was cut off\. Run it again\?/);
  assert.match(await card.innerText(), /a\.txt/);
  assert.equal(endpoint.requests.length, 1);
  // The question waits, also over a second reload.
  await reload(page);
  await card.waitFor();
  await page.keyboard.press('r');
  // What it would do to files is shown before, as always.
  await page.getByTestId('approval-allow').click();
  await waitStopped(page, 'Completed');
  await fileRow(page, 'a.txt').waitFor();
  assert.match(lastResults(endpoint.requests[1].body)[0], /may have happened twice/);
});

test('taken as done, it is not run again', async (t) => {
  const endpoint = await t.endpoint(script());
  const page = await cutOff(t, endpoint);
  await page.getByTestId('cut-off-done').click();
  await waitStopped(page, 'Completed');
  assert.equal(await fileRow(page, 'a.txt').count(), 0);
  assert.match(lastResults(endpoint.requests[1].body)[0], /the user takes it as done/);
});

test('neither comes with a word, and Stop ends the run', async (t) => {
  const endpoint = await t.endpoint(script());
  const page = await cutOff(t, endpoint);
  await page.getByTestId('cut-off-word').fill('Ask me first');
  await page.getByTestId('cut-off-neither').click();
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[1].body)[0], /did not have it run again and said: Ask me first/);

  const other = await cutOff(t, await t.endpoint(script()));
  await other.getByTestId('cut-off-card').getByTestId('composer-stop').click();
  await waitStopped(other, 'Cancelled');
});
