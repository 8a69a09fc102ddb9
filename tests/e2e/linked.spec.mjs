// A linked folder, by real handles: those of the origin's private file system, which have
// the same interface as a folder of the device.

import assert from 'node:assert/strict';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, importFiles, openFile, reload, send, setup, startDemo, waitStopped } from './app.mjs';

/** Lets the page choose a folder `site`, as the browser's own dialog would. */
const withFolder = (page) => page.addInitScript(() => {
  window.showDirectoryPicker = async () =>
    (await navigator.storage.getDirectory()).getDirectoryHandle('site', { create: true });
});

/** What another program does in that folder. */
const disk = {
  write: (page, path, content) => page.evaluate(async ([path, content]) => {
    const names = path.split('/');
    const name = names.pop();
    let folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('site', { create: true });
    for (const name of names) folder = await folder.getDirectoryHandle(name, { create: true });
    const stream = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await stream.write(content);
    await stream.close();
  }, [path, content]),
  delete: (page, name) => page.evaluate(async (name) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('site');
    await folder.removeEntry(name, { recursive: true });
  }, name),
  files: (page) => page.evaluate(async () => {
    const found = {};
    const walk = async (folder, at) => {
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind === 'directory') await walk(handle, `${at}${name}/`);
        else found[at + name] = await (await handle.getFile()).text();
      }
    };
    await walk(await (await navigator.storage.getDirectory()).getDirectoryHandle('site'), '');
    return found;
  }),
};

async function link(page) {
  await page.getByTestId('import-menu').click();
  await page.getByTestId('link-folder').click();
  await page.getByTestId('link-line').waitFor();
}

const state = (page, words) => page.getByTestId('link-state').filter({ hasText: words }).waitFor();

test('a linked folder is kept the same in both ways, by a run, by the window and over a reload', async (t) => {
  const page = await t.open();
  await withFolder(page);
  await reload(page);
  await setup(page, await t.endpoint([
    calls(call('read_file', { path: 'in.txt' })), calls(call('write_file', { path: 'src/out.txt', content: 'made' })), text('Done.'),
  ]));
  await importFiles(page, { 'mine.txt': 'mine' });
  await disk.write(page, 'deep/theirs.txt', 'theirs');
  await link(page);
  await state(page, 'in sync');
  await page.getByTestId('link-open').filter({ hasText: 'Linked to site' }).waitFor();
  assert.deepEqual(await disk.files(page), { 'mine.txt': 'mine', 'deep/theirs.txt': 'theirs' });
  await fileRow(page, 'deep').waitFor();

  // What is on the disk by then is there for the run, and its work is written there.
  await disk.write(page, 'in.txt', 'by hand');
  await send(page, 'Work');
  await waitStopped(page, 'Completed');
  await until('the work is on the disk', async () => (await disk.files(page))['src/out.txt'] === 'made');
  await fileRow(page, 'in.txt').waitFor();

  // Coming back to the window is enough.
  await disk.write(page, 'late.txt', 'late');
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await fileRow(page, 'late.txt').waitFor();

  await reload(page);
  await state(page, 'in sync');
  await disk.write(page, 'later.txt', 'later');
  await page.getByTestId('link-sync').click();
  await fileRow(page, 'later.txt').waitFor();

  await page.getByTestId('link-open').click();
  await page.getByTestId('link-unlink').click();
  await page.getByTestId('link-line').waitFor({ state: 'detached' });
  await fileRow(page, 'later.txt').waitFor();
  assert.equal((await disk.files(page))['later.txt'], 'later');
});

test('conflicts and deletions wait for the user, who sees both', async (t) => {
  const page = await t.open();
  await withFolder(page);
  await reload(page);
  await startDemo(page);
  await importFiles(page, { 'both.txt': 'first', 'gone.txt': 'gone' });
  await link(page);
  await state(page, 'in sync');

  await openFile(page, 'both.txt');
  await page.getByTestId('file-edit').click();
  await page.locator('.cm-content').click();
  await page.keyboard.type('mine ');
  await page.getByTestId('file-save').click();
  await state(page, '1 change to write');
  await disk.write(page, 'both.txt', 'theirs');
  await disk.delete(page, 'gone.txt');
  await page.getByTestId('link-sync').click();
  await state(page, '1 conflict');
  assert.equal((await disk.files(page))['both.txt'], 'theirs', 'neither side is touched');

  await page.getByTestId('link-open').click();
  const conflict = page.locator('[data-testid="link-conflict"][data-path="both.txt"]');
  await conflict.filter({ hasText: 'on the disk: 6 B' }).waitFor();
  await conflict.getByTestId('link-both').click();
  await conflict.waitFor({ state: 'detached' });
  const gone = page.getByTestId('link-gone-there');
  await gone.filter({ hasText: 'gone.txt' }).waitFor();
  await gone.getByTestId('link-delete').click();
  await gone.waitFor({ state: 'detached' });
  await page.getByTestId('link-close').click();
  await fileRow(page, 'gone.txt').waitFor({ state: 'detached' });
  await fileRow(page, 'both (from disk).txt').waitFor();
  const there = await disk.files(page);
  assert.equal(there['both (from disk).txt'], 'theirs');
  assert.match(there['both.txt'], /mine/);
  await state(page, 'in sync');
});

/** Has the worker's own handles do something else with a file: hang, fail, or what they should. */
const withFiles = async (page, name, does) => {
  for (const worker of page.workers()) {
    await worker.evaluate(([name, does]) => {
      const of = globalThis.FileSystemFileHandle?.prototype;
      if (!of) return;
      globalThis.kept ??= of.getFile;
      of.getFile = function (...given) {
        if (this.name !== name) return globalThis.kept.apply(this, given);
        if (does === 'hang') return new Promise(() => {});
        return Promise.reject(new DOMException('the file is in use', 'NotReadableError'));
      };
      if (!does) of.getFile = globalThis.kept;
    }, [name, does]);
  }
};

test('it can be stopped, what can not be read is named, and the rest goes on', async (t) => {
  const page = await t.open();
  await withFolder(page);
  await reload(page);
  await startDemo(page);
  await importFiles(page, { 'mine.txt': 'mine' });
  await link(page);
  await state(page, 'in sync');

  await disk.write(page, 'slow.txt', 'slow');
  await withFiles(page, 'slow.txt', 'hang');
  await page.getByTestId('link-sync').click();
  await page.getByTestId('link-stop').click();
  await state(page, 'stopped');

  await withFiles(page, 'slow.txt', 'fail');
  await disk.write(page, 'fine.txt', 'fine');
  await page.getByTestId('link-sync').click();
  await state(page, '1 file not in sync');
  await fileRow(page, 'fine.txt').waitFor();
  await page.getByTestId('link-open').click();
  await page.getByTestId('link-told').filter({ hasText: 'but for one file: slow.txt' }).waitFor();
  await page.getByTestId('link-blocked').filter({ hasText: 'the file is in use' }).waitFor();

  await withFiles(page, 'slow.txt', '');
  await page.getByTestId('link-sync-now').click();
  await page.getByTestId('link-blocked').waitFor({ state: 'detached' });
  await page.getByTestId('link-close').click();
  await fileRow(page, 'slow.txt').waitFor();
  await state(page, 'in sync');
});

test('a linked folder that is renamed stays linked, and one that is deleted comes back from the disk', async (t) => {
  const page = await t.open();
  await withFolder(page);
  await reload(page);
  await startDemo(page);
  await importFiles(page, { 'web/page.txt': 'page' });
  await fileRow(page, 'web').click({ button: 'right' });
  await page.getByTestId('file-menu-link').click();
  await state(page, 'in sync');
  assert.deepEqual(await disk.files(page), { 'page.txt': 'page' });

  await fileRow(page, 'web').focus();
  await page.keyboard.press('F2');
  await page.getByTestId('file-ask-path').fill('pages');
  await page.keyboard.press('Enter');
  await fileRow(page, 'pages').waitFor();
  await state(page, 'in sync');
  await disk.write(page, 'new.txt', 'new');
  await page.getByTestId('link-sync').click();
  await page.getByTestId('link-open').click();
  await page.getByTestId('link-of').filter({ hasText: 'same as pages, before and after each run' }).waitFor();
  await page.getByTestId('link-close').click();
  await until('nothing is gone on the disk', async () => Object.keys(await disk.files(page)).length === 2);

  await fileRow(page, 'pages').focus();
  await page.keyboard.press('Delete');
  await page.getByTestId('link-sync').click();
  await state(page, 'folder missing here');
  assert.deepEqual(await disk.files(page), { 'page.txt': 'page', 'new.txt': 'new' });
  await page.getByTestId('link-open').click();
  await page.getByTestId('link-sync-now').filter({ hasText: 'Put it back' }).click();
  await page.getByTestId('link-told').filter({ hasText: 'are the same' }).waitFor();
  await page.getByTestId('link-close').click();
  await fileRow(page, 'pages').waitFor();
});

test('where the browser links no folders, the way around is named', async (t) => {
  const page = await t.open();
  await page.addInitScript(() => { delete window.showDirectoryPicker; });
  await reload(page);
  await startDemo(page);
  await page.getByTestId('import-menu').click();
  await page.getByTestId('link-instead').filter({ hasText: 'download it as zip' }).waitFor();
  assert.equal(await page.getByTestId('link-folder').isVisible(), false);
});
