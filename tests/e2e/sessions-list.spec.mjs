// Sessions as a whole: named, pinned, put away, deleted and had back, found by what was said.

import assert from 'node:assert/strict';
import { plain } from './conversation.mjs';
import { text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { reload, send, setup, waitAnswer, waitStopped } from './app.mjs';

const row = (page, title) => page.getByTestId('session-row').filter({ hasText: title });
const titles = (page) => page.getByTestId('session-list').getByTestId('session-row').allInnerTexts();
const toast = (page, words) => page.getByTestId('toast').filter({ hasText: words });

/** Opens the menu of a session with the keyboard, as a user without a mouse would. */
async function choose(page, title, deed) {
  const button = page.locator('.sidebar__row').filter({ hasText: title }).getByTestId('session-menu-open');
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('session-menu').waitFor();
  await page.getByTestId(`session-${deed}`).click();
  await page.getByTestId('session-menu').waitFor({ state: 'hidden' });
}

async function begin(page, task) {
  await page.getByTestId('session-new').click();
  await page.getByTestId('message-user').waitFor({ state: 'detached' });
  await send(page, task);
  await waitStopped(page, 'Completed');
}

async function two(t) {
  const endpoint = await t.endpoint(({ body }) => text(`You said: ${plain(body.messages.at(-1).content)}`));
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Apples in the cellar');
  await waitStopped(page, 'Completed');
  await begin(page, 'Pears in the loft');
  return { page, endpoint };
}

test('a session is renamed, pinned and put away, and stays so after a reload', async (t) => {
  const { page } = await two(t);
  await choose(page, 'Apples', 'rename');
  await page.getByTestId('session-title-input').fill('Winter stores');
  await page.keyboard.press('Enter');
  await row(page, 'Winter stores').waitFor();
  assert.deepEqual(await titles(page), ['Pears in the loft', 'Winter stores']);
  await choose(page, 'Winter stores', 'pin');
  await until('the pinned one stands first', async () => (await titles(page))[0] === 'Winter stores');
  await reload(page);
  assert.deepEqual(await titles(page), ['Winter stores', 'Pears in the loft']);

  await choose(page, 'Pears', 'archive');
  const archive = page.getByTestId('session-archive-list');
  await archive.waitFor();
  assert.equal(await row(page, 'Pears').isVisible(), false);
  await archive.locator('summary').click();
  await row(page, 'Pears').click();
  await waitAnswer(page, 'You said: Pears in the loft');
  await choose(page, 'Pears', 'archive');
  await archive.waitFor({ state: 'detached' });
  assert.equal(await row(page, 'Pears').isVisible(), true);
});

test('a deleted session is had back as it was, and is gone once it was not', async (t) => {
  const { page } = await two(t);
  await choose(page, 'Pears', 'delete');
  await toast(page, 'Deleted “Pears in the loft”.').waitFor();
  await row(page, 'Pears').waitFor({ state: 'detached' });
  await page.getByTestId('session-restore').click();
  await waitAnswer(page, 'You said: Pears in the loft');
  await row(page, 'Pears').waitFor();

  await choose(page, 'Pears', 'delete');
  await row(page, 'Pears').waitFor({ state: 'detached' });
  await reload(page);
  assert.deepEqual(await titles(page), ['Apples in the cellar']);
  const left = () => page.evaluate(() => new Promise((done) => {
    const request = indexedDB.open('tabloop');
    request.onsuccess = () => {
      const all = request.result.transaction('messages').objectStore('messages').getAll();
      all.onsuccess = () => { request.result.close(); done(JSON.stringify(all.result).includes('Pears')); };
    };
  }));
  await until('nothing of it is left', async () => !(await left()));
});

test('sessions are found by what was said in them', async (t) => {
  const { page } = await two(t);
  const field = page.getByTestId('session-search');
  const hits = page.getByTestId('session-hit');
  await field.fill('YOU SAID apples');
  await until('one is found', async () => (await hits.count()) === 1);
  assert.equal(await page.getByTestId('session-row').count(), 0);
  assert.match(await hits.first().innerText(), /Apples in the cellar/);
  assert.equal(await hits.locator('mark').innerText(), 'You');
  await hits.first().click();
  await waitAnswer(page, 'You said: Apples in the cellar');
  await until('the place has the focus', () => page.evaluate(() => document.activeElement?.dataset.testid === 'round-card'));

  await field.fill('(a+)+$ nobody');
  await page.getByText('No session says that.').waitFor();
  await field.press('Escape');
  await until('all are listed again', async () => (await page.getByTestId('session-row').count()) === 2);
});
