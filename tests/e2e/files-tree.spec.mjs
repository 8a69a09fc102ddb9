// The tree of files: many of them, finding, and what the user does with them by hand.

import assert from 'node:assert/strict';
import { test, until } from './harness.mjs';
import { fileRow, importFiles, openFile, reload, seed, startDemo, waitShown } from './app.mjs';

const rowCount = (page) => page.getByTestId('file-row').count();
const focusedPath = (page) => page.evaluate(() => document.activeElement.closest('[data-path]')?.dataset.path ?? null);

test('20,000 files: only rows in view are in the page, and all can be reached and found', async (t) => {
  const page = await t.open();
  const paths = Array.from({ length: 20_000 }, (_, n) => `data/part-${String(n).padStart(5, '0')}.txt`);
  await seed(page, paths);
  await startDemo(page);
  await page.getByTestId('file-tree').waitFor();
  await fileRow(page, 'data').click();
  await fileRow(page, 'data/part-00000.txt').waitFor();
  assert.ok((await rowCount(page)) < 100, `${await rowCount(page)} rows at the top`);

  // To the end by a key, to the middle by the wheel.
  await fileRow(page, 'data').focus();
  await page.keyboard.press('End');
  await until('the last row has the focus', async () => ![null, 'data'].includes(await focusedPath(page)));
  const last = await focusedPath(page);
  assert.ok((await rowCount(page)) < 100);
  const row = fileRow(page, last);
  assert.ok(await row.isVisible());
  const scroller = page.locator('.tree__scroll');
  await scroller.evaluate((element) => { element.scrollTop = element.scrollHeight / 2; });
  const middle = page.getByTestId('file-row').filter({ hasText: 'part-1000' }).first();
  await middle.waitFor();
  assert.ok((await rowCount(page)) < 100, `${await rowCount(page)} rows in the middle`);
  const aria = await middle.evaluate((row) => ['level', 'setsize', 'posinset'].map((name) => row.getAttribute(`aria-${name}`)));
  assert.deepEqual(aria.slice(0, 2), ['2', '20000']);
  assert.ok(Number(aria[2]) > 9_000 && Number(aria[2]) < 11_000, aria[2]);
  // The row with the focus is still there for the Tab key.
  assert.equal(await page.locator('[data-testid=file-row][tabindex="0"]').count(), 1);

  await page.getByTestId('file-filter').fill('PART 19999');
  await fileRow(page, 'data/part-19999.txt').waitFor();
  await until('only what matches is shown', async () => (await rowCount(page)) === 2);
  await page.getByText('1 of 20,', { exact: false }).waitFor();
  await page.getByTestId('file-filter').fill('nothing such');
  await page.getByText('No file matches.', { exact: false }).waitFor();
  await page.getByTestId('file-filter').press('Escape');
  await until('all are back', async () => (await rowCount(page)) > 10);
});

test('a file is made, renamed, moved and deleted with the keyboard alone, and comes back', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'a.md': 'alpha\n', 'b.md': 'beta\n' });
  await fileRow(page, 'a.md').focus();
  await page.keyboard.press('F2');
  const path = page.getByTestId('file-ask-path');
  await path.waitFor();
  await until('the name is marked', () => path.evaluate((field) => field.value.slice(field.selectionStart, field.selectionEnd) === 'a'));
  // A taken name, a bad name, then a good one with a new folder.
  await path.fill('b.md');
  await page.keyboard.press('Enter');
  await page.getByTestId('file-ask-problem').filter({ hasText: 'already something at b.md' }).waitFor();
  await path.fill('a:b.md');
  await page.keyboard.press('Enter');
  await page.getByTestId('file-ask-problem').filter({ hasText: "can't hold" }).waitFor();
  await path.fill('notes/first.md');
  await page.keyboard.press('Enter');
  await fileRow(page, 'notes/first.md').waitFor();
  assert.equal(await fileRow(page, 'a.md').count(), 0);
  await until('the focus is on the renamed file', async () => (await focusedPath(page)) === 'notes/first.md');
  await page.keyboard.press('Enter');
  await waitShown(page, 'alpha\n');

  await fileRow(page, 'notes').focus();
  await page.keyboard.press('Delete');
  await fileRow(page, 'notes').waitFor({ state: 'detached' });
  const undo = page.getByTestId('toast').filter({ hasText: 'Deleted notes' }).getByTestId('file-undo');
  await undo.focus();
  await page.keyboard.press('Enter');
  await fileRow(page, 'notes/first.md').waitFor();
  await reload(page);
  await openFile(page, 'notes/first.md');
  await waitShown(page, 'alpha\n');
});

test('the menu of a row: by its button, by the right button and by key; a reader may only look', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'a.md': 'alpha\n' });
  await fileRow(page, 'a.md').hover();
  await fileRow(page, 'a.md').getByTestId('file-more').click();
  const menu = page.getByTestId('file-menu');
  await menu.waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });

  await fileRow(page, 'a.md').focus();
  await page.keyboard.press('Shift+F10');
  await menu.waitFor();
  await page.keyboard.press('ArrowUp');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Delete/);
  await page.keyboard.press('Escape');
  await until('the focus is back on the row', async () => (await focusedPath(page)) === 'a.md');

  await fileRow(page, 'a.md').click({ button: 'right' });
  const saved = page.waitForEvent('download');
  await page.getByTestId('file-menu-download').click();
  assert.equal((await saved).suggestedFilename(), 'a.md');

  await page.getByTestId('folder-new').click();
  await page.getByTestId('file-ask-path').fill('docs');
  await page.getByTestId('file-ask-do').click();
  await fileRow(page, 'docs').waitFor();
  await fileRow(page, 'docs').click({ button: 'right' });
  const chooser = page.waitForEvent('filechooser');
  await page.getByTestId('file-menu-add').click();
  await (await chooser).setFiles({ name: 'in.txt', mimeType: 'text/plain', buffer: Buffer.from('inside\n') });
  await fileRow(page, 'docs/in.txt').waitFor();

  const reader = await t.openBeside(page);
  await fileRow(reader, 'a.md').click({ button: 'right' });
  await reader.getByTestId('file-menu-download').waitFor();
  assert.equal(await reader.getByTestId('file-menu-delete').count(), 0);
  assert.ok(await reader.getByTestId('file-new').isDisabled());
});

test('a row is dragged onto a folder', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'a.md': 'alpha\n' });
  await page.getByTestId('folder-new').click();
  await page.getByTestId('file-ask-path').fill('box');
  await page.getByTestId('file-ask-do').click();
  await fileRow(page, 'box').waitFor();
  await fileRow(page, 'a.md').dragTo(fileRow(page, 'box'));
  await fileRow(page, 'box/a.md').waitFor();
  assert.equal(await fileRow(page, 'a.md').count(), 0);
  await page.getByTestId('toast').filter({ hasText: 'Moved a.md to box/a.md' }).getByTestId('file-undo').click();
  await fileRow(page, 'a.md').waitFor();
});
