// What files look like: images, tables, Markdown, bytes. All of it may be hostile.

import assert from 'node:assert/strict';
import { test, until } from './harness.mjs';
import { importFiles, openFile, startDemo, waitShown } from './app.mjs';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGNgYPgPQhAGABHwA/26hNfQAAAAAElFTkSuQmCC', 'base64');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="top.hit=1"><script>top.hit=1</script><image href="https://example.com/leak.png"/><rect width="40" height="20"/></svg>';

test('images with their size; a drawing runs and loads nothing, and has its source', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'dot.png': PNG, 'broken.png': 'no image', 'draw.svg': SVG });
  await openFile(page, 'dot.png');
  await page.getByTestId('image-size').filter({ hasText: '3 × 2 pixels' }).waitFor();
  await openFile(page, 'broken.png');
  await page.getByTestId('file-viewer').getByText("can't be shown", { exact: false }).waitFor();
  await openFile(page, 'draw.svg');
  await page.getByTestId('image-size').filter({ hasText: '40 × 20 pixels' }).waitFor();
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.ok(!t.urls.some((url) => url.includes('example.com')));
  await page.getByTestId('file-source').click();
  await waitShown(page, SVG);
});

test('a table of 5,000 rows has few in the page, and reads quotes right', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const rows = Array.from({ length: 6_000 }, (_, n) => `${n},"Doe, ""J."" ${n}",x`).join('\n');
  await importFiles(page, { 'people.csv': `id,name,note\n${rows}\n` });
  await openFile(page, 'people.csv');
  const table = page.getByTestId('file-table');
  await table.getByText('Doe, "J." 7', { exact: true }).waitFor();
  const drawn = () => table.getByRole('row').count();
  assert.ok((await drawn()) < 100, `${await drawn()} rows`);
  await page.getByText('The first 5,000 rows', { exact: false }).waitFor();
  await table.evaluate((element) => { element.scrollTop = element.scrollHeight; });
  await table.getByText('Doe, "J." 4998', { exact: true }).waitFor();
  assert.ok((await drawn()) < 100);
  await table.getByRole('columnheader', { name: 'name' }).waitFor();
});

test('Markdown is shown formatted and as source, and bytes with their kind', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'read.md': '# Title\n\n- one\n', 'old.7z': Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0]), 'empty.txt': '' });
  await openFile(page, 'read.md');
  await page.getByTestId('file-viewer').getByRole('heading', { name: 'Title' }).waitFor();
  await page.getByTestId('file-source').click();
  await waitShown(page, '# Title\n\n- one\n');
  await openFile(page, 'old.7z');
  await page.getByTestId('file-kind').filter({ hasText: 'An archive (7-Zip).' }).waitFor();
  await page.getByTestId('file-viewer').getByText('37 7a bc af', { exact: false }).waitFor();
  await openFile(page, 'empty.txt');
  await page.getByTestId('file-viewer').getByText('This file is empty.').waitFor();
  await until('there are three tabs', async () => (await page.getByTestId('file-tab').count()) === 3);
});

test('on a phone: back to the tree, and the tabs stay', async (t) => {
  const page = await t.open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await startDemo(page);
  await page.getByTestId('tab-files').tap();
  await importFiles(page, { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' });
  for (const name of ['a.txt', 'b.txt']) {
    await page.locator(`[data-testid="file-row"][data-path="${name}"]`).tap();
    await page.getByTestId('file-viewer').locator('pre').waitFor();
    await page.getByTestId('file-back').tap();
    await page.getByTestId('file-tree').waitFor();
  }
  await page.locator('[data-testid="file-row"][data-path="a.txt"]').tap();
  await until('both have a tab', async () => (await page.getByTestId('file-tab').count()) === 2);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});
