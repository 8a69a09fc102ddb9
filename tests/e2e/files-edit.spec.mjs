// The editor: loaded when it is needed, saved over what was opened, nothing lost on the way.

import assert from 'node:assert/strict';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, importFiles, openFile, reload, send, setApproval, setup, startDemo, waitShown, waitStopped } from './app.mjs';

const editor = (page) => page.getByTestId('file-viewer').locator('.cm-content');

async function edit(page, path) {
  await openFile(page, path);
  await page.getByTestId('file-edit').click();
  await editor(page).waitFor();
}

const bytesOf = async (page, path) => {
  await fileRow(page, path).click({ button: 'right' });
  const saved = page.waitForEvent('download');
  await page.getByTestId('file-menu-download').click();
  const stream = await (await saved).createReadStream();
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
};

test('the editor is fetched on first use, highlights, and keeps line ends and marks', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const names = { 'main.rs': 'fn main() {\n    let a = 1;\n}\n', 'dos.txt': '\u{FEFF}one\r\ntwo\r\n', 'mixed.txt': 'one\r\ntwo\n' };
  await importFiles(page, names);
  assert.ok(!t.urls.some((url) => /editor-/.test(url)), 'not before it is needed');
  await edit(page, 'main.rs');
  assert.equal(t.urls.filter((url) => /editor-/.test(url)).length, 1);
  await until('words have colours', () => page.getByTestId('file-viewer').locator('.cm-line span').count());
  for (const [path, expected] of [['dos.txt', '\u{FEFF}Xone\r\ntwo\r\n'], ['mixed.txt', 'Xone\r\ntwo\n']]) {
    await edit(page, path);
    await editor(page).press('ControlOrMeta+Home');
    await page.keyboard.type('X');
    await page.locator('[data-testid=file-save][data-unsaved=true]').waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator('[data-testid=file-save][data-unsaved=false]').waitFor();
    assert.equal((await bytesOf(page, path)).toString('utf8'), expected);
  }
  assert.equal(t.urls.filter((url) => /editor-/.test(url)).length, 1);
});

test('unsaved text stays while another tab is shown, and is asked about before it goes', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'a.md': 'alpha\n', 'b.md': 'beta\n' });
  await edit(page, 'a.md');
  await editor(page).press('ControlOrMeta+Home');
  await page.keyboard.type('more ');
  await openFile(page, 'b.md');
  await waitShown(page, 'beta\n');
  const tab = page.locator('[data-testid=file-tab][data-path="a.md"]');
  assert.equal(await tab.getAttribute('data-unsaved'), 'true');
  // The arrows go from tab to tab.
  await page.locator('[data-testid=file-tab][data-path="b.md"]').focus();
  await page.keyboard.press('ArrowLeft');
  await editor(page).filter({ hasText: 'more alpha' }).waitFor();

  let asked = 0;
  page.on('dialog', (dialog) => { asked += 1; void dialog.dismiss(); });
  await page.evaluate(() => location.reload());
  await until('the browser asks', () => asked === 1);
  await editor(page).filter({ hasText: 'more alpha' }).waitFor();

  await tab.click({ button: 'middle' });
  await page.getByTestId('edit-stay').click();
  await editor(page).filter({ hasText: 'more alpha' }).waitFor();
  await tab.focus();
  await page.keyboard.press('Delete');
  await page.getByTestId('edit-save-close').click();
  await tab.waitFor({ state: 'detached' });
  await openFile(page, 'a.md');
  await page.getByTestId('file-source').click();
  await waitShown(page, 'more alpha\n');
});

test('a file that the agent changes meanwhile: both are shown, and the user chooses', async (t) => {
  const write = (content) => calls(call('write_file', { path: 'a.txt', content }));
  const endpoint = await t.endpoint([
    write('by the agent\n'), text('Done.'), write('again\n'), text('Done.'),
    calls(call('read_file', { path: 'a.txt' })), write('third\n'), text('Done.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await setApproval(page, 'never');
  await importFiles(page, { 'a.txt': 'old\n' });
  await edit(page, 'a.txt');

  // Nothing unsaved: the editor follows.
  await send(page, 'Write');
  await waitStopped(page, 'Completed');
  await editor(page).filter({ hasText: 'by the agent' }).waitFor();

  await editor(page).press('ControlOrMeta+Home');
  await page.keyboard.type('mine, ');
  await send(page, 'Write it again');
  await until('both runs ended', async () => (await page.getByTestId('stop-reason').count()) === 2);
  await page.getByTestId('edit-note').waitFor();
  await page.getByTestId('edit-difference').click();
  const difference = page.getByTestId('file-viewer').getByTestId('diff-file');
  await difference.filter({ hasText: 'mine, by the agent' }).filter({ hasText: 'again' }).waitFor();
  await page.getByTestId('edit-keep').click();
  await page.getByTestId('edit-note').waitFor({ state: 'detached' });
  await page.locator('[data-testid=file-save][data-unsaved=false]').waitFor();
  assert.equal((await bytesOf(page, 'a.txt')).toString(), 'mine, by the agent\n');

  await editor(page).press('ControlOrMeta+Home');
  await page.keyboard.type('lost ');
  await send(page, 'Write a third time');
  await page.getByTestId('edit-take').click();
  await editor(page).filter({ hasText: 'third' }).waitFor();
  assert.equal((await bytesOf(page, 'a.txt')).toString(), 'third\n');
});

test('what is not UTF-8 or too large is looked at, not edited', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'latin.txt': Buffer.from('caf\xE9\n', 'latin1'), 'large.txt': 'x'.repeat(79).concat('\n').repeat(30_000) });
  await openFile(page, 'latin.txt');
  await page.getByTestId('file-kind').filter({ hasText: 'older encoding' }).waitFor();
  assert.equal(await page.getByTestId('file-edit').count(), 0);
  await openFile(page, 'large.txt');
  await page.getByTestId('file-viewer').locator('pre').waitFor();
  assert.equal(await page.getByTestId('file-edit').count(), 0);
  await fileRow(page, 'large.txt').click({ button: 'right' });
  await page.getByTestId('file-menu-edit').click();
  await page.getByTestId('edit-note').filter({ hasText: '2 MB' }).waitFor();
});

test('an editor that does not come is told, and tried again', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'a.txt': 'alpha\n' });
  await page.route('**/editor-*', (route) => route.abort());
  await openFile(page, 'a.txt');
  await page.getByTestId('file-edit').click();
  await page.getByTestId('edit-note').filter({ hasText: 'could not be loaded' }).waitFor();
  await page.unroute('**/editor-*');
  await page.getByTestId('edit-again').click();
  await editor(page).filter({ hasText: 'alpha' }).waitFor();
});

test('a new file opens in the editor, and follows when it is renamed', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await page.getByTestId('file-new').click();
  await page.getByTestId('file-ask-path').fill('notes/new.py');
  await page.keyboard.press('Enter');
  await editor(page).waitFor();
  await editor(page).click();
  await page.keyboard.type('print(1)');
  await fileRow(page, 'notes/new.py').focus();
  await page.keyboard.press('F2');
  await page.getByTestId('file-ask-path').fill('notes/two.py');
  await page.keyboard.press('Enter');
  await fileRow(page, 'notes/two.py').waitFor();
  await editor(page).filter({ hasText: 'print(1)' }).waitFor();
  await page.getByTestId('file-save').click();
  await page.locator('[data-testid=file-save][data-unsaved=false]').waitFor();
  assert.equal((await bytesOf(page, 'notes/two.py')).toString(), 'print(1)');
  await reload(page);
  await openFile(page, 'notes/two.py');
  await waitShown(page, 'print(1)');
});

test('a file that the user saves during a run is not marked as the agent\'s', async (t) => {
  const write = calls(call('write_file', { path: 'theirs.txt', content: 'x\n' }));
  const endpoint = await t.endpoint([write, held(text('Done.'))]);
  const page = await t.open();
  await setup(page, endpoint);
  await setApproval(page, 'never');
  await importFiles(page, { 'mine.txt': 'old\n' });
  await edit(page, 'mine.txt');
  await send(page, 'Write');
  await endpoint.arrived(2);
  const mark = (path) => fileRow(page, path).locator('.tree__changed');
  await mark('theirs.txt').waitFor();
  await editor(page).press('ControlOrMeta+Home');
  await page.keyboard.type('mine, ');
  await page.keyboard.press('ControlOrMeta+s');
  await page.locator('[data-testid=file-save][data-unsaved=false]').waitFor();
  endpoint.release();
  await waitStopped(page, 'Completed');
  assert.equal(await mark('theirs.txt').count(), 1);
  assert.equal(await mark('mine.txt').count(), 0);
});
