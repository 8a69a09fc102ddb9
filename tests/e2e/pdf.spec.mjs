// PDFs in the viewer: drawn page by page, selectable, and nothing in them is carried out.

import assert from 'node:assert/strict';
import { test, until } from './harness.mjs';
import { importFiles, openFile, startDemo } from './app.mjs';
import { lockedPaper, paper } from './pdf.mjs';

/** How much of a page's canvas is black, from 0 to 1; nothing before it is drawn. */
const blackness = (page, n) => page.evaluate((n) => {
  const canvas = document.querySelector(`.pdf__page[data-page="${n}"] canvas`);
  if (!canvas) return null;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let black = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at] < 50 && data[at + 3] > 200) black += 1;
  return black / (data.length / 4);
}, n);

const told = (page) => page.getByTestId('pdf-page');

test('a PDF is drawn page by page as it comes into view, larger and smaller, with its text', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'paper.pdf': paper(40) });
  assert.ok(!t.urls.some((url) => /\/pdf-/.test(url)), 'not before it is needed');
  await openFile(page, 'paper.pdf');
  await told(page).filter({ hasText: 'Page 1 of 40' }).waitFor();
  const black = await until('the first page is drawn', () => blackness(page, 1));
  // The box is an eighth of it; the letters are little beside it.
  assert.ok(black > 0.12 && black < 0.2, `${black}`);
  const text = page.locator('.pdf__page[data-page="1"] .pdf__text');
  await text.getByText('Leaf number 1').waitFor();
  const box = await text.getByText('Leaf number 1').boundingBox();
  assert.ok(box.width > 50 && box.height > 8, 'what is selected lies over what is seen');
  assert.equal(await blackness(page, 30), null, 'far pages wait');

  const width = () => page.locator('.pdf__page[data-page="1"]').evaluate((leaf) => leaf.clientWidth);
  const before = await width();
  await page.getByTestId('pdf-larger').click();
  await until('it is larger', async () => (await width()) > before * 1.2);
  await page.getByTestId('pdf-smaller').click();
  await page.getByTestId('pdf-smaller').click();
  await until('it is smaller', async () => (await width()) < before * 0.9);
  await page.getByTestId('pdf-fit').click();
  await until('it fits again', async () => Math.abs((await width()) - before) < 2);

  await page.locator('.pdf').evaluate((pages) => { pages.scrollTop = pages.scrollHeight; });
  await told(page).filter({ hasText: 'Page 40 of 40' }).waitFor();
  await until('the last page is drawn', () => blackness(page, 40));
  await until('the first one gave its memory back', async () => (await blackness(page, 1)) === null);
  const own = new URL(page.url()).origin;
  assert.ok(t.urls.filter((url) => /^https?:/.test(url)).every((url) => url.startsWith(own)), 'nothing is asked for elsewhere');
});

test('what a PDF would do is not done, and what is broken or locked is told', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const acts = '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); app.launchURL\\("https://example.com/"\\);) >>';
  await importFiles(page, { 'acts.pdf': paper(1, acts), 'locked.pdf': lockedPaper(), 'broken.pdf': '%PDF-1.4\n\0\x01' });
  page.on('dialog', () => assert.fail('a dialog opened'));
  await openFile(page, 'acts.pdf');
  await until('it is drawn', () => blackness(page, 1));
  assert.equal(page.context().pages().length, 1);
  assert.ok(!t.urls.some((url) => url.includes('example.com')));
  for (const [name, words] of [['locked.pdf', 'protected by a password'], ['broken.pdf', "can't be shown"]]) {
    await openFile(page, name);
    await page.getByTestId('pdf-problem').filter({ hasText: words }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('pdf-download').click()]);
    assert.equal(download.suggestedFilename(), name);
  }
});

test('a viewer that does not come is told, and can be tried again', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'paper.pdf': paper(2) });
  t.expectedErrors.push(/pdf-/);
  await page.route('**/pdf-*.js*', (route) => route.abort());
  await openFile(page, 'paper.pdf');
  await page.getByTestId('pdf-problem').filter({ hasText: 'could not be loaded' }).waitFor();
  await page.unroute('**/pdf-*.js*');
  await page.getByTestId('pdf-again').click();
  await told(page).filter({ hasText: 'Page 1 of 2' }).waitFor();
});

test('of a PDF with very many pages the first are laid out, and more when they are asked for', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await importFiles(page, { 'long.pdf': paper(620), 'short.pdf': paper(3) });
  await openFile(page, 'long.pdf');
  await told(page).filter({ hasText: 'Page 1 of 620' }).waitFor();
  const laid = () => page.locator('.pdf__page').count();
  assert.equal(await laid(), 500);
  await page.locator('.pdf').evaluate((pages) => { pages.scrollTop = pages.scrollHeight; });
  await told(page).filter({ hasText: 'Page 500 of 620' }).waitFor();
  await page.getByTestId('pdf-more').click();
  await until('all are laid out', async () => (await laid()) === 620);
  await page.getByTestId('pdf-more').waitFor({ state: 'detached' });
  await page.locator('.pdf').evaluate((pages) => { pages.scrollTop = pages.scrollHeight; });
  await told(page).filter({ hasText: 'Page 620 of 620' }).waitFor();
  await until('the last page is drawn', () => blackness(page, 620));
  await openFile(page, 'short.pdf');
  await told(page).filter({ hasText: 'Page 1 of 3' }).waitFor();
  assert.equal(await page.getByTestId('pdf-more').count(), 0);
});
