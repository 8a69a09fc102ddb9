// The built page as a host serves it: under any path, by its own files alone, and
// under a strict policy.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from './endpoint.mjs';
import { DIST, test } from './harness.mjs';
import { fileRow, reload, send, setup, startDemo, waitStopped } from './app.mjs';

const TASK = 'Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md';

test('the page works under a sub-path', async (t) => {
  const site = await t.serveUnder('/a/sub/path/');
  const page = await t.open({ url: site.url });
  await startDemo(page);
  await send(page, TASK);
  await waitStopped(page, 'Completed');
  await reload(page);
  await fileRow(page, 'todo-list.md').waitFor();

  assert.match(page.url(), /\/a\/sub\/path\/$/);
  const elsewhere = t.urls.filter((url) => !url.startsWith(site.url) && !url.startsWith('blob:'));
  assert.deepEqual(elsewhere, []);
});

test('nothing is asked for before the user acts, but the page\'s own files', async (t) => {
  const page = await t.open();
  assert.deepEqual(t.urls.filter((url) => !url.startsWith(page.url())), []);
});

test('the policy is strict, holds, and stands in nobody\'s way', async (t) => {
  const endpoint = await t.endpoint([text('Hello.')]);
  const page = await t.open();
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  const directives = new Map(policy.split(';').map((part) => part.trim().split(/\s+/)).map(([name, ...sources]) => [name, sources]));
  assert.deepEqual(directives.get('default-src'), ["'none'"]);
  const scripts = directives.get('script-src');
  assert.ok(!scripts.includes("'unsafe-inline'") && !scripts.includes("'unsafe-eval'"), scripts.join(' '));
  assert.ok(directives.has('base-uri') && directives.has('form-action'), 'what default-src does not cover is named');

  await setup(page, endpoint);
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  const complaints = t.console.filter((line) => /Content Security Policy/.test(line));
  assert.deepEqual(complaints, []);

  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.head.append(script);
  });
  assert.equal(await page.evaluate(() => window.injected), undefined);
  // The refusal just provoked is the one complaint there may be.
  t.console = t.console.filter((line) => !/Content Security Policy/.test(line));
});

test('every script and style the page names carries its hash', async (t) => {
  const page = await t.open();
  const named = await page.locator('script[src], link[rel="stylesheet"], link[rel="modulepreload"], link[rel="preload"]')
    .evaluateAll((elements) => elements.map((element) => [element.src || element.href, element.integrity]));
  assert.ok(named.length >= 2);
  for (const [address, integrity] of named) assert.match(integrity, /^sha(256|384|512)-/, address);
});

const filesOf = async (dir, ending) => (await readdir(dir)).filter((name) => name.endsWith(ending)).map((name) => join(dir, name));

test('the module is served packed, once, under a name that its content gives it', async (t) => {
  const page = await t.open();
  await page.waitForLoadState('networkidle');
  const files = t.urls.filter((url) => /wasm/.test(url));
  const [rest, ...none] = files.filter((url) => url.endsWith('.wasm'));
  const modules = files.filter((url) => url !== rest);
  assert.ok(rest, files.join(' '));
  assert.deepEqual([modules.length, none.length], [1, 0], files.join(' '));
  const name = modules[0].match(/[^/]+-([\da-f]{16})\.wasm\.lzma$/);
  assert.ok(name, modules[0]);
  const content = await readFile(join(DIST, name[0]));
  assert.equal(createHash('sha256').update(content).digest('hex').slice(0, 16), name[1]);
  assert.deepEqual(await filesOf(DIST, '.wasm'), [join(DIST, rest.match(/[^/]+$/)[0])]);
});

const BREAKS = {
  'whose module is missing': ['.wasm.lzma', (file) => rm(file)],
  'whose module is cut off': ['.wasm.lzma', (file) => truncate(file, 100_000)],
  'whose module has a wrong byte': ['.wasm.lzma', damage],
  'whose glue is missing': ['.js', (file) => rm(file)],
};

async function damage(file) {
  const content = await readFile(file);
  content[content.length >> 1] ^= 1;
  await writeFile(file, content);
}

for (const [which, [ending, change]] of Object.entries(BREAKS)) {
  test(`a page ${which} says that it could not be loaded`, async (t) => {
    const site = await t.serveChanged(async (dir) => {
      const [file, ...others] = (await filesOf(dir, ending)).filter((each) => !/worker\.js$|(?:shell|editor|pdf|pdf-worker|answers(?:-\w+)?)-[\da-f]+\.js$/.test(each));
      assert.deepEqual(others, []);
      await change(file);
    });
    t.expectedErrors.push(/Failed to fetch/);
    const told = async (locale) => {
      const page = await t.open({ url: site.url, locale, settled: (opened) => opened.getByRole('alert').waitFor() });
      return page.locator('body').innerText();
    };
    assert.match(await told('en-GB'), /could not be loaded.*reload the page/);
    assert.match(await told('zh-CN'), /未能载入.*刷新页面/);
  });
}

test('a damaged copy of the module is asked for anew', async (t) => {
  const page = await t.open();
  let asked = 0;
  await page.route('**/*.lzma', (route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ body: 'damaged', headers: { 'access-control-allow-origin': '*' } }) : route.continue();
  });
  await reload(page);
  assert.equal(asked, 2);
});
