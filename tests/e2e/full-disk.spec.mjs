// A full disk, by a quota of the browser's own: nothing is half-done, it is told what is
// missing, room can be made, and then everything works again.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { call, calls, text } from './endpoint.mjs';
import { ready, test, until } from './harness.mjs';
import {
  continueRun, fileRow, importFiles, openFile, reload, send, setup, startDemo, waitStopped,
} from './app.mjs';

const MB = 1 << 20;

/** Opens the page in a browser that gives it so many bytes from the start: it asks only now and then. */
async function openBounded(t, bytes) {
  const { url } = await t.serveUnder('/');
  const page = await t.open({ url: 'about:blank', settled: () => {} });
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(url);
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: bytes });
  await page.goto(url);
  await ready(page);
  /** Takes the bound away. */
  const lift = () => session.send('Storage.overrideQuotaForOrigin', { origin });
  return { page, lift };
}

/** Fills the browser's storage until not even half a megabyte goes in. */
async function fillUp(page) {
  for (let size = 8 * MB, n = 0; size >= MB / 2; n += 1) {
    const name = `filler-${n}.bin`;
    await put(page, { [name]: randomBytes(size) });
    const refused = page.getByTestId('toast').filter({ hasText: `${name} was not added` });
    await fileRow(page, name).or(refused).first().waitFor();
    if (await refused.count() > 0) {
      size /= 2;
      await refused.getByRole('button').last().click();
    }
  }
}

const put = (page, files) => page.getByTestId('import-input').setInputFiles(
  Object.entries(files).map(([name, buffer]) => ({ name, mimeType: 'application/octet-stream', buffer })),
);

const told = async (page, words) => {
  const toast = page.getByTestId('toast').filter({ hasText: words });
  await toast.waitFor();
  return toast;
};

test('an import into a full disk leaves nothing, tells what is missing, and works once there is room', async (t) => {
  const { page } = await openBounded(t, 32 * MB);
  await startDemo(page);
  // Something that can be freed: what a deleted file was.
  await importFiles(page, { 'old.bin': randomBytes(12 * MB) });
  await fileRow(page, 'old.bin').click({ button: 'right' });
  await page.getByTestId('file-menu-delete').click();
  await fileRow(page, 'old.bin').waitFor({ state: 'detached' });
  const rows = await page.getByTestId('file-row').count();
  const files = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`big-${n}.bin`, randomBytes(4 * MB)]),
  );
  await put(page, files);
  const toast = await told(page, /storage is full.*Nothing of it was kept/);
  assert.equal(await page.getByTestId('file-row').count(), rows, 'nothing is half-done');

  await toast.getByTestId('free-space').click();
  const history = page.locator('[data-testid="room-item"][data-what="history"]');
  await history.filter({ hasText: /13 MB/ }).waitFor();
  await history.filter({ hasText: "deleted files can't be brought back" }).waitFor();
  const before = await page.getByTestId('room-told').innerText();
  await history.getByTestId('room-free').click();
  await history.getByTestId('room-free').filter({ hasText: 'Remove for good' }).click();
  await history.waitFor({ state: 'detached' });
  await until('the figure is another', async () => (await page.getByTestId('room-told').innerText()) !== before);
  await page.getByTestId('room-close').click();

  // Now there is as much room as was missing.
  await put(page, files);
  await told(page, '6 files added');
  await fileRow(page, 'big-5.bin').waitFor();
  await reload(page);
  await fileRow(page, 'big-5.bin').waitFor();
});

test('a text that can not be saved stays in the editor and can be downloaded', async (t) => {
  const { page, lift } = await openBounded(t, 16 * MB);
  await startDemo(page);
  await importFiles(page, { 'note.txt': `${'line of a long text\n'.repeat(40_000)}` });
  await fillUp(page);
  await openFile(page, 'note.txt');
  await page.getByTestId('file-edit').click();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('mine ');
  await page.getByTestId('file-save').click();
  const note = page.getByTestId('edit-note').filter({ hasText: 'storage is full, so this text was not saved' });
  await note.waitFor();
  const saving = page.waitForEvent('download');
  await note.getByTestId('edit-download').click();
  assert.equal((await saving).suggestedFilename(), 'note.txt');
  await lift();
  await note.getByTestId('edit-again').click();
  await note.waitFor({ state: 'detached' });
  await reload(page);
  await openFile(page, 'note.txt');
  await page.getByTestId('file-viewer').filter({ hasText: 'mine' }).waitFor();
});

test('a run that meets a full disk ends as failed and goes on once there is room', async (t) => {
  const { page, lift } = await openBounded(t, 16 * MB);
  const write = call('write_file', { path: 'out.txt', content: 'x'.repeat(MB) });
  await setup(page, await t.endpoint([calls(write), calls(write), text('Done.')]));
  await fillUp(page);
  await send(page, 'Write it');
  const end = await waitStopped(page, 'Failed');
  assert.match(end, /storage is full, so the run was stopped\. Nothing is half-done/);
  await page.getByTestId('stop-reason').last().getByTestId('free-space').click();
  await page.getByTestId('room-told').filter({ hasText: /in use/ }).waitFor();
  await page.getByTestId('room-close').click();
  await lift();
  await continueRun(page);
  await waitStopped(page, 'Completed');
  await fileRow(page, 'out.txt').waitFor();
});
