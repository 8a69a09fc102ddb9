// Several workspaces: a switcher, and in each its own files and sessions.

import assert from 'node:assert/strict';
import { test, until } from './harness.mjs';
import { fileRow, importFiles, kill, openFile, reload, send, startDemo, waitStopped } from './app.mjs';

const TASK = 'Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md';

const shown = (page, name) => page.getByTestId('space-switch').filter({ hasText: name }).waitFor();

async function deed(page, id) {
  await page.getByTestId('space-switch').click();
  await page.getByTestId(id).click();
}

async function create(page, name) {
  await deed(page, 'space-new');
  await page.getByTestId('space-name').fill(name);
  await page.keyboard.press('Enter');
  await shown(page, name);
}

async function open(page, name) {
  await page.getByTestId('space-switch').click();
  await page.getByTestId('space-row').filter({ hasText: name }).click();
  await shown(page, name);
}

test('files and sessions of workspaces do not mix, also over a reload', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await shown(page, 'My files');
  await send(page, TASK);
  await waitStopped(page, 'Completed');
  await fileRow(page, 'todo-list.md').waitFor();
  await create(page, 'Letters');
  await fileRow(page, 'todo-list.md').waitFor({ state: 'detached' });
  assert.equal(await page.getByTestId('session-row').count(), 0);
  assert.equal(await page.getByTestId('message-user').count(), 0);
  await importFiles(page, { 'letter.md': 'Dear all' });
  await send(page, 'Read letter.md');
  await waitStopped(page, 'Completed');

  await reload(page);
  await shown(page, 'Letters');
  await fileRow(page, 'letter.md').waitFor();
  assert.equal(await fileRow(page, 'todo-list.md').count(), 0);
  assert.equal(await page.getByTestId('session-row').count(), 1);
  await open(page, 'My files');
  await fileRow(page, 'todo-list.md').waitFor();
  assert.equal(await fileRow(page, 'letter.md').count(), 0);
  await page.getByTestId('message-user').filter({ hasText: TASK }).waitFor();
});

test('a workspace is renamed by keyboard, and deleted after a question that counts what goes', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await create(page, 'Drafts');
  // The demo's tasks work on its files.
  await fileRow(page, 'meeting.md').waitFor();
  await importFiles(page, { 'a.md': 'a', 'b.md': 'b' });
  await page.getByTestId('space-switch').focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('space-rename').focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('space-name').fill('Old drafts');
  await page.keyboard.press('Enter');
  await shown(page, 'Old drafts');
  await deed(page, 'space-delete');
  await page.getByTestId('space-ask-text').filter({ hasText: 'Old drafts goes with 4 files and 0 sessions' }).waitFor();
  await page.getByTestId('space-ask-do').click();
  await shown(page, 'My files');
  await fileRow(page, 'a.md').waitFor({ state: 'detached' });
  await page.getByTestId('space-switch').click();
  assert.equal(await page.getByTestId('space-row').count(), 1);
  assert.equal(await page.getByTestId('space-delete').count(), 0, 'the last one stays');
  await page.keyboard.press('Escape');
  await reload(page);
  await shown(page, 'My files');
  const left = await page.evaluate(async () => {
    const database = await new Promise((done) => { indexedDB.open('tabloop').onsuccess = ({ target }) => done(target.result); });
    const names = ['workspaces', 'nodes', 'blobs', 'changes', 'checkpoints'];
    const keys = await Promise.all(names.map((name) => new Promise((done) => {
      database.transaction(name).objectStore(name).getAllKeys().onsuccess = ({ target }) => done(target.result);
    })));
    return [...new Set(keys.flat().map(([space]) => space))];
  });
  assert.deepEqual(left, ['default']);
});

test('a workspace is not left while a file in the editor is not saved', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'a.md': 'alpha\n' });
  await openFile(page, 'a.md');
  await page.getByTestId('file-edit').click();
  const editor = page.getByTestId('file-viewer').locator('.cm-content');
  await editor.press('ControlOrMeta+Home');
  await page.keyboard.type('more ');
  await deed(page, 'space-new');
  await page.getByTestId('space-name').fill('Other');
  await page.keyboard.press('Enter');
  await page.getByTestId('toast').filter({ hasText: 'not saved' }).waitFor();
  await editor.filter({ hasText: 'more alpha' }).waitFor();
  await shown(page, 'My files');
});

test('killed in the middle of a delete: a workspace is there whole or not at all', async (t) => {
  const dir = await t.profile();
  for (let n = 0; n < 3; n += 1) {
    const page = await t.openProfile(dir);
    if (n === 0) await startDemo(page);
    else await page.getByTestId('composer-input').waitFor();
    await create(page, `Big ${n}`);
    await importFiles(page, Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}.md`, `${n} ${at}`])));
    await deed(page, 'space-delete');
    await until('it can be deleted', () => page.getByTestId('space-ask-do').isEnabled());
    await page.evaluate((wait) => {
      document.querySelector('[data-testid="space-ask-do"]').click();
      return new Promise((done) => setTimeout(done, wait));
    }, n * 7);
    await kill(page, dir);
    const again = await t.openProfile(dir);
    await again.getByTestId('composer-input').waitFor();
    const name = await again.getByTestId('space-switch').innerText();
    if (name.includes(`Big ${n}`)) {
      for (let at = 0; at < 30; at += 1) await fileRow(again, `f${at}.md`).waitFor();
      await openFile(again, 'f29.md');
      await again.getByTestId('file-viewer').filter({ hasText: `${n} 29` }).waitFor();
    } else {
      assert.equal(await fileRow(again, 'f0.md').count(), 0);
      await again.getByTestId('space-switch').click();
      await again.getByTestId('space-row').filter({ hasText: 'My files' }).waitFor();
      assert.equal(await again.getByTestId('space-row').filter({ hasText: `Big ${n}` }).count(), 0);
    }
    await again.context().close();
  }
});
