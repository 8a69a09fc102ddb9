// Pages of the workspace, as they run beside the conversation.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { importFiles, openFile, send, setup, waitStopped } from './app.mjs';

const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const SITE = {
  'site/index.html': `<!doctype html>
<title>Shop</title>
<link rel="stylesheet" href="css/main.css">
<body onload="console.log('loaded')">
<h1 class="head">Prices</h1>
<img id="pixel" src="img/pixel.png">
<button onclick="count += 1; this.textContent = 'pressed ' + count">press</button>
<p id="sum"></p>
<script>var count = 0;</script>
<script src="plain.js"></script>
<script type="module" src="js/app.mjs"></script>
</body>`,
  'site/css/main.css': '@import "base.css";\n.head { background: url("../img/pixel.png"); }\n',
  'site/css/base.css': '.head { color: rgb(1, 2, 3); }\n',
  'site/img/pixel.png': PIXEL,
  'site/plain.js': 'document.body.dataset.plain = "yes";\n',
  'site/js/app.mjs': 'import { sum } from "./sum.mjs";\nconst data = await (await fetch("data.json")).json();\ndocument.getElementById("sum").textContent = "sum " + sum(data);\n',
  'site/js/sum.mjs': 'export const sum = (all) => all.reduce((a, b) => a + b, 0);\n',
  'site/data.json': '[1, 2, 3]',
};

/** Has the model preview `paths` in turn over `files`, in a window of `size`. */
async function previewed(t, paths, files, size) {
  const endpoint = await t.endpoint([...paths.map((path) => calls(call('preview', { path }))), text('Seen.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, files);
  if (size) await page.setViewportSize(size);
  await send(page, 'Show it');
  await waitStopped(page, 'Completed');
  const told = endpoint.requests.slice(1).map((request) => lastResults(request.body)[0]);
  // The browser says of each handler in markup that it does not run as such.
  t.console = t.console.filter((line) => !/inline event handler/.test(line));
  return { page, endpoint, told, frame: page.frameLocator('[data-testid="preview"] iframe') };
}

test('a page is shown with its scripts, modules, styles and images', async (t) => {
  const { told, frame, page } = await previewed(t, ['site/index.html'], SITE);
  assert.match(told[0], /^Shown to the user: site\/index\.html, "Shop", \d+ × \d+\nConsole:\nloaded\nVisible text:\nPrices\n *press\s+sum 6$/);
  await frame.getByText('sum 6').waitFor();
  assert.equal(await frame.locator('.head').evaluate((head) => getComputedStyle(head).color), 'rgb(1, 2, 3)');
  assert.match(await frame.locator('.head').evaluate((head) => getComputedStyle(head).backgroundImage), /^url\("blob:/);
  assert.equal(await frame.locator('#pixel').evaluate((image) => image.naturalWidth), 1);
  assert.equal(await frame.locator('body').getAttribute('data-plain'), 'yes');
  await frame.locator('button').click();
  await frame.getByText('pressed 1').waitFor();
  assert.equal(await page.getByTestId('view-preview').getAttribute('aria-selected'), 'true');
});

test('an error is told with its file and line, and the fixed page without it', async (t) => {
  const broken = '<!doctype html>\n<title>T</title>\n<p>Total</p>\n<script>\nlet a = 1;\nmissing(a);\n</script>\n<script src="late.js"></script>\n';
  const endpoint = await t.endpoint([
    calls(call('preview', { path: 'index.html' })),
    calls(call('edit_file', { path: 'index.html', edits: [{ old_text: 'missing(a)', new_text: 'console.log(a)' }] })),
    calls(call('write_file', { path: 'late.js', content: 'console.log("here")' })),
    calls(call('preview', { path: 'index.html' })),
    text('Fixed.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'index.html': broken });
  await send(page, 'Mend the page');
  await waitStopped(page, 'Completed');
  const told = endpoint.requests.slice(1).map((request) => lastResults(request.body)[0]);
  assert.match(told[0], /error: Uncaught ReferenceError: missing is not defined \(index\.html:6:1\)/);
  assert.match(told[0], /could not load late\.js: there is no file late\.js/);
  t.pageErrors = [];
  assert.match(told[3], /\nConsole:\n1\nhere\nVisible text:\nTotal$/);
});

test('a page that hangs does not take the app with it', async (t) => {
  const files = { 'a.html': '<p>Hi</p><script>console.log("begins"); setTimeout(() => { for (;;); }, 200)</script>', 'b.html': '<p>Next</p>' };
  const endpoint = await t.endpoint([calls(call('preview', { path: 'a.html' })), calls(call('preview', { path: 'b.html' })), text('Seen.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, files);
  await send(page, 'Show both');
  await page.getByTestId('preview').waitFor();
  await page.waitForTimeout(1_000);
  assert.equal(await page.evaluate(() => 1 + 1), 2, 'the page answers while the frame hangs');
  await until('the run has ended', () => waitStopped(page, 'Completed').then(() => true), 30_000);
  const told = endpoint.requests.slice(1).map((request) => lastResults(request.body)[0]);
  assert.match(told[0], /^Error: a\.html: it stopped answering and was closed: an endless loop/);
  assert.match(told[0], /begins/);
  assert.match(told[1], /Next$/);
});

test('the user opens a page, runs it anew and closes it', async (t) => {
  const endpoint = await t.endpoint([calls(call('write_file', { path: 'a.html', content: '<p>Second</p>' })), text('Written.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'a.html': '<p>First</p>' });
  assert.equal(await page.getByTestId('view-preview').count(), 0);
  await openFile(page, 'a.html');
  await page.getByTestId('file-preview').click();
  const frame = page.frameLocator('[data-testid="preview"] iframe');
  await frame.getByText('First').waitFor();
  await send(page, 'Write it anew');
  await waitStopped(page, 'Completed');
  await page.getByTestId('preview-reload').click();
  await frame.getByText('Second').waitFor();
  await page.getByTestId('preview-close').click();
  assert.equal(await page.locator('iframe').count(), 0);
  assert.equal(await page.getByTestId('view-preview').count(), 0);
  assert.equal(await page.getByTestId('view-files').getAttribute('aria-selected'), 'true');
});

test('a small window shows the page in a pane of its own', async (t) => {
  const { page, told, frame } = await previewed(t, ['site/index.html'], SITE, { width: 360, height: 740 });
  assert.match(told[0], /, 360 × \d{3}\n/);
  await page.getByTestId('tab-files').click();
  await frame.getByText('sum 6').waitFor();
  assert.ok(await page.getByTestId('preview-reload').isVisible());
});

test('a preview of the agent does not take the user away from the editor', async (t) => {
  const show = calls(call('preview', { path: 'site/index.html' }));
  const endpoint = await t.endpoint([show, text('Seen.'), show, text('Again.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { ...SITE, 'notes.txt': 'alpha\n' });
  t.expectedErrors.push(/inline event handler/);
  await openFile(page, 'notes.txt');
  await page.getByTestId('file-edit').click();
  await page.locator('.cm-content').click();
  await send(page, 'Show it');
  await waitStopped(page, 'Completed');
  assert.equal(await page.getByTestId('view-files').getAttribute('aria-selected'), 'true');
  await page.locator('.cm-content').filter({ hasText: 'alpha' }).waitFor();
  await page.getByTestId('preview-new').waitFor();
  assert.match(lastResults(endpoint.requests[1].body)[0], /^Shown to the user: site\/index\.html, "Shop", [1-9]\d+ × [1-9]\d+\n/);
  await page.getByTestId('view-preview').click();
  await page.frameLocator('[data-testid="preview"] iframe').getByText('sum 6').waitFor();
  await page.getByTestId('preview-new').waitFor({ state: 'hidden' });
  // Whoever only looks at files is shown the page.
  await page.getByTestId('view-files').click();
  await page.getByTestId('file-close').click();
  await send(page, 'Once more');
  await waitStopped(page, 'Completed');
  await until('the page is shown', async () => (await page.getByTestId('view-preview').getAttribute('aria-selected')) === 'true');
  t.console = t.console.filter((line) => !/inline event handler/.test(line));
});
