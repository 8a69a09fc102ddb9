// The built page as a host serves it: under any path, by its own files alone, and
// under a strict policy.

import assert from 'node:assert/strict';
import { text } from './endpoint.mjs';
import { test } from './harness.mjs';
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
