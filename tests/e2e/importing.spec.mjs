// Files in and out: archives, folders, what is dropped and pasted, and the zip that goes out.

import assert from 'node:assert/strict';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, until } from './harness.mjs';
import { fileRow, startDemo } from './app.mjs';
import { unzip, zip } from './zip.mjs';

const put = (page, name, buffer) => page.getByTestId('import-input').setInputFiles([
  { name, mimeType: 'application/octet-stream', buffer },
]);

const told = async (page, text) => {
  const toast = page.getByTestId('toast').filter({ hasText: text });
  await toast.waitFor();
  return toast;
};

/** Presses export, and gives the bytes that are saved. */
async function exported(page) {
  const saving = page.waitForEvent('download');
  await page.getByTestId('export-zip').click();
  const download = await saving;
  assert.equal(download.suggestedFilename(), 'workspace.zip');
  return readFile(await download.path());
}

test('a zip of 300 files comes in as a folder and goes out byte for byte', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const files = {};
  for (let n = 0; n < 300; n += 1) files[`app/src/part ${n % 7}/文件 ${n}.txt`] = `line ${n}\n`.repeat(n + 1);
  await put(page, 'app.zip', zip(files));
  await told(page, '300 files added: app');
  await fileRow(page, 'app').waitFor();

  const out = await exported(page);
  const there = unzip(out);
  for (const [name, text] of Object.entries(files)) assert.equal(there[name]?.toString(), text, name);
  assert.ok(there['meeting.md'], 'files that were there go out too');
  assert.deepEqual(await exported(page), out, 'the same files make the same bytes');
});

test('a folder is downloaded from its menu as a zip of what is in it', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await put(page, 'app.zip', zip({ 'app/src/a.txt': 'a', 'app/src/deep/文件.txt': 'b', 'app/readme.md': 'r' }));
  await told(page, '3 files added: app');
  await fileRow(page, 'app').click({ button: 'right' });
  const saving = page.waitForEvent('download');
  await page.getByTestId('file-menu-download-folder').click();
  const download = await saving;
  assert.equal(download.suggestedFilename(), 'app.zip');
  const there = unzip(await readFile(await download.path()));
  const texts = Object.fromEntries(Object.entries(there).map(([name, bytes]) => [name, bytes.toString()]));
  assert.deepEqual(texts, { 'readme.md': 'r', 'src/a.txt': 'a', 'src/deep/文件.txt': 'b' });
});

test('a broken zip is refused with a reason, and what is odd in one can be looked up', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const rows = await page.getByTestId('file-row').count();
  const whole = zip({ 'x/a.txt': 'a', '../out.txt': 'o', 'x/CON': 'c', 'x/what?': 'w' });
  await put(page, 'cut.zip', whole.subarray(0, whole.length - 30));
  await told(page, /cut\.zip was not added: its end is missing/);
  assert.equal(await page.getByTestId('file-row').count(), rows);

  await put(page, 'odd.zip', whole);
  const toast = await told(page, '3 files added: x');
  await toast.locator('summary').click();
  const details = await toast.locator('pre').innerText();
  assert.match(details, /\.\.\/out\.txt: its name leads out of the workspace/);
  assert.match(details, /x\/CON → x\/_CON/);
});

test('a folder that is chosen keeps its paths; a second one gets a number', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tabloop-'));
  try {
    await mkdir(join(folder, 'proj', 'deep'), { recursive: true });
    await writeFile(join(folder, 'proj', 'deep', 'a.txt'), 'a');
    await writeFile(join(folder, 'proj', 'b.txt'), 'b');
    const page = await t.open();
    await startDemo(page);
    await page.getByTestId('import-folder').setInputFiles(join(folder, 'proj'));
    await told(page, '2 files added: proj');
    await page.getByTestId('import-folder').setInputFiles(join(folder, 'proj'));
    await told(page, 'proj is now called proj (2)');
    await fileRow(page, 'proj (2)').waitFor();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('files are dropped on the pane and pasted', async (t) => {
  const page = await t.open();
  await startDemo(page);
  for (const kind of ['drop', 'paste']) {
    await page.evaluate((kind) => {
      const data = new DataTransfer();
      data.items.add(new File([`by ${kind}`], `${kind}.txt`));
      const event = kind === 'drop'
        ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
        : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      document.querySelector(kind === 'drop' ? '.workspace' : 'body').dispatchEvent(event);
    }, kind);
    await fileRow(page, `${kind}.txt`).waitFor();
  }
});

test('an import that takes long shows how far it is and can be stopped', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const files = {};
  const noise = Buffer.alloc(20_000);
  for (let n = 0; n < 1_500; n += 1) {
    for (let at = 0; at < noise.length; at += 4) noise.writeUInt32LE(Math.imul(n * 10_007 + at, 2654435761) >>> 0, at);
    files[`big/${n}.bin`] = noise.toString('latin1');
  }
  const folder = await mkdtemp(join(tmpdir(), 'tabloop-'));
  try {
    await writeFile(join(folder, 'big.zip'), zip(files));
    // From within the page: from outside it could be too late.
    await page.evaluate(() => new MutationObserver((_, observer) => {
      const text = document.querySelector('[data-testid="transfer"]')?.innerText;
      if (!text?.includes('big.zip')) return;
      observer.disconnect();
      sessionStorage.setItem('progress', text);
      document.querySelector('[data-testid="transfer-stop"]').click();
    }).observe(document.body, { childList: true, subtree: true, characterData: true }));
    await page.getByTestId('import-input').setInputFiles(join(folder, 'big.zip'));
    await told(page, /big\.zip was not added: stopped/);
    assert.match(await page.evaluate(() => sessionStorage.getItem('progress')), /Adding big\.zip · [\d,]+ files, .* of .* MB/);
    await page.getByTestId('transfer').waitFor({ state: 'hidden' });
    assert.equal(await fileRow(page, 'big').count(), 0);
    // It can be added after all.
    await page.getByTestId('import-input').setInputFiles(join(folder, 'big.zip'));
    await until('all of it is there', async () => (await page.getByTestId('toast').allInnerTexts()).join().includes('1,500 files added'), 60_000);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a repository comes in through the API of GitHub', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const commit = '0123456789abcdef0123456789abcdef01234567';
  const tree = { tree: [{ path: 'src/lib.rs', mode: '100644', type: 'blob', size: 4 }], truncated: false };
  const cors = { 'access-control-allow-origin': '*' };
  await page.context().route('https://api.github.com/**', (route) => route.fulfill({
    headers: cors, body: route.request().url().includes('/commits/') ? commit : JSON.stringify(tree),
  }));
  await page.context().route('https://raw.githubusercontent.com/**', (route) => route.fulfill({ headers: cors, body: 'code' }));
  await page.getByTestId('import-menu').click();
  await page.getByTestId('import-repository').fill('https://github.com/ab/cd');
  await page.getByTestId('import-repository-go').click();
  await told(page, '1 file added: cd');
  await fileRow(page, 'cd').waitFor();
});
