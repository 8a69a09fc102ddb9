// Sessions as files: downloaded to be read or kept, and brought in again.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { plain } from './conversation.mjs';
import { text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { send, setup, waitAnswer, waitStopped } from './app.mjs';

async function menu(page) {
  await page.locator('.sidebar__row').first().hover();
  await page.getByTestId('session-menu-open').first().click();
  await page.getByTestId('session-menu').waitFor();
}

async function download(page, id) {
  await menu(page);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByTestId(`session-${id}`).click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

async function bringIn(page, content, name = 'session.json') {
  await page.getByTestId('space-switch').click();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByTestId('session-take-in').click()]);
  await chooser.setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
}

test('a session is downloaded, and brought into a fresh browser as it was', async (t) => {
  const answer = 'It is **bold**, <script>window.bad = 1</script> and `code`.';
  const endpoint = await t.endpoint(({ body }) => text(`${answer} You said: ${plain(body.messages.at(-1).content)}`));
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Tell me <b>all</b>');
  await waitStopped(page, 'Completed');

  const markdown = await download(page, 'markdown');
  assert.match(markdown.name, /\.md$/);
  assert.match(markdown.text, /^# .*\n\n## You\n\nTell me <b>all<\/b>\n\nIt is \*\*bold\*\*/);
  const web = await download(page, 'page');
  assert.match(web.text, /<strong>bold<\/strong>/);
  assert.doesNotMatch(web.text, /<script|<b>/);
  const whole = await download(page, 'json');

  const other = await t.open();
  await setup(other, endpoint);
  await bringIn(other, whole.text);
  await waitAnswer(other, 'You said: Tell me <b>all</b>');
  const again = await download(other, 'json');
  const [was, is] = [whole, again].map(({ text }) => JSON.parse(text).sessions);
  // Who answers is this browser's affair.
  for (const of of [...was, ...is]) delete of.session.choice;
  assert.deepEqual(is, was);
});

test('a file that is no session is told, and nothing is changed', async (t) => {
  const endpoint = await t.endpoint([text('Done.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Go');
  await waitStopped(page, 'Completed');
  const { text: file } = await download(page, 'json');
  const cases = [
    [file.slice(0, -20), /no session of Tabloop, or not all of one/],
    [file.replace('"version":1', '"version":9'), /newer Tabloop/],
  ];
  for (const [content, told] of cases) {
    await bringIn(page, content);
    const toast = page.getByTestId('toast').filter({ hasText: told });
    await toast.waitFor();
    await toast.getByRole('button', { name: 'Dismiss' }).click();
    assert.equal(await page.getByTestId('session-row').count(), 1);
  }
  await until('the session is as it was', async () => (await page.getByTestId('message-user').count()) === 1);
});
