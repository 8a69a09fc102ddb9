// The palette: everything that can be done, sessions and files, by the keyboard alone.

import assert from 'node:assert/strict';
import { plain } from './conversation.mjs';
import { text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { importFiles, send, setup, waitAnswer, waitStopped } from './app.mjs';

const input = (page) => page.getByTestId('palette-input');
const options = (page) => page.locator('#palette-list [role="option"] .combo__text');
const open = async (page) => {
  await page.keyboard.press('ControlOrMeta+K');
  await input(page).waitFor();
  await hasFocus(page, 'palette-input');
};
const isClosed = (page) => input(page).waitFor({ state: 'detached' });
const hasFocus = (page, id) => until(`${id} has the focus`, () =>
  page.evaluate((id) => document.activeElement?.dataset.testid === id, id));

async function begin(t) {
  const endpoint = await t.endpoint(({ body }) => text(`You said: ${plain(body.messages.at(-1).content)}`));
  const page = await t.open();
  await setup(page, endpoint);
  await page.getByTestId('composer-attach').waitFor();
  return page;
}

test('actions, sessions and files are found and opened, and the focus goes back to where it was', async (t) => {
  const page = await begin(t);
  await importFiles(page, { 'shopping list.md': '# To buy\n' });
  await send(page, 'Apples in the cellar');
  await waitStopped(page, 'Completed');
  await page.getByTestId('session-new').click();
  await page.getByTestId('message-user').waitFor({ state: 'detached' });

  await page.getByTestId('settings-open').focus();
  await open(page);
  assert.equal(await page.getByTestId('palette').getAttribute('aria-label'), 'Do or find anything');
  assert.equal(await input(page).getAttribute('role'), 'combobox');
  await page.keyboard.press('Escape');
  await isClosed(page);
  await hasFocus(page, 'settings-open');

  await open(page);
  await page.keyboard.type('celar');
  await options(page).filter({ hasText: 'Apples in the cellar' }).waitFor();
  await page.keyboard.press('Enter');
  await isClosed(page);
  await waitAnswer(page, 'You said: Apples in the cellar');

  await open(page);
  await page.keyboard.type('shopng');
  await options(page).filter({ hasText: 'shopping list.md' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByTestId('file-viewer').filter({ hasText: 'To buy' }).waitFor();

  await open(page);
  await page.keyboard.type('theme dark');
  await page.keyboard.press('Enter');
  await until('it is dark', () => page.evaluate(() => document.documentElement.dataset.theme === 'dark'));

  await open(page);
  await page.keyboard.type('undo');
  await page.keyboard.press('Enter');
  await page.getByTestId('undo-panel').waitFor();
  await page.getByTestId('undo-cancel').click();
  await page.getByTestId('undo-panel').waitFor({ state: 'detached' });

  await open(page);
  await page.keyboard.type('简体');
  await page.keyboard.press('Enter');
  await until('it speaks Chinese', () => page.evaluate(() => document.documentElement.lang === 'zh-Hans'));
  await open(page);
  await page.keyboard.type('没有这样的东西');
  await page.locator('.palette .combo__status').filter({ hasText: '没有符合的内容' }).waitFor();
  // Escape first empties nothing: it closes.
  await page.keyboard.press('Escape');
  await isClosed(page);
});

test('a new task is begun and the settings are opened from the palette, with the focus in them', async (t) => {
  const page = await begin(t);
  await send(page, 'Pears');
  await waitStopped(page, 'Completed');
  await open(page);
  await page.keyboard.type('new');
  await page.keyboard.press('Enter');
  await page.getByTestId('message-user').waitFor({ state: 'detached' });
  await hasFocus(page, 'composer-input');
  await open(page);
  await page.keyboard.type('settings');
  await page.keyboard.press('Enter');
  await page.getByTestId('setting-round-limit').waitFor();
  assert.ok(await page.evaluate(() => document.activeElement.closest('dialog') !== null));
  // What is asked in a dialog is answered first.
  await page.keyboard.press('ControlOrMeta+K');
  assert.equal(await input(page).count(), 0);
});

test('the list of shortcuts opens by a key, but not while somebody writes', async (t) => {
  const page = await begin(t);
  await page.getByTestId('composer-input').focus();
  await page.keyboard.type('what?');
  assert.equal(await page.getByTestId('shortcuts').count(), 0);
  await page.getByTestId('settings-open').focus();
  await page.keyboard.press('?');
  await page.getByTestId('shortcuts').filter({ hasText: 'Mention a file' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('shortcuts').waitFor({ state: 'detached' });
  await hasFocus(page, 'settings-open');
  await open(page);
  await page.keyboard.type('shortcuts');
  await page.keyboard.press('Enter');
  await page.getByTestId('shortcuts').waitFor();
});

test('on paper stands the conversation alone, whole and dark on white', async (t) => {
  const endpoint = await t.endpoint([text('- One of many lines.\n'.repeat(150))]);
  const page = await t.open({ colorScheme: 'dark' });
  await setup(page, endpoint);
  await page.getByTestId('composer-attach').waitFor();
  await send(page, 'Many lines');
  await waitStopped(page, 'Completed');
  await page.emulateMedia({ media: 'print' });
  const seen = await page.evaluate(() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const rgb = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
    return {
      sidebar: box('.sidebar').height, composer: box('.composer').height, workspace: box('.workspace').height,
      column: box('.conversation__column').height, scroller: box('.conversation__scroll').height,
      colour: rgb('[data-testid="message-user"]', 'color'),
    };
  });
  assert.deepEqual([seen.sidebar, seen.composer, seen.workspace], [0, 0, 0]);
  assert.ok(seen.scroller >= seen.column && seen.column > 900, JSON.stringify(seen));
  assert.equal(seen.colour, 'rgb(0, 0, 0)');
});
