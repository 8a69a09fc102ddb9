// A link that fills the form: it fills fields and does nothing else, whatever it says.

import assert from 'node:assert/strict';
import { text } from './endpoint.mjs';
import { ready, test, until } from './harness.mjs';
import { dumpIndexedDb, KEY, send, setup, startDemo, waitStopped } from './app.mjs';

const value = (page, name) => page.getByTestId(`setup-${name}`).inputValue();
const note = (page) => page.getByTestId('setup-link-note');

/** Opens the page by a link, as on a machine that never saw it. */
async function openBy(t, fragment) {
  const page = await t.open();
  return t.open({ url: page.url() + fragment });
}

/** Follows a link to the page in a tab where it is open. */
const follow = (page, fragment) => page.evaluate((fragment) => { location.hash = fragment; }, fragment);

/** Nothing but the page's own files was asked for, and nothing was kept. */
async function isUntouched(t, page) {
  const own = new URL(page.url()).origin;
  assert.deepEqual(t.urls.filter((url) => new URL(url).origin !== own && !url.startsWith('blob:')), []);
  assert.ok(!(await dumpIndexedDb(page)).includes('base_url'));
}

test('a link fills the form of the first start and leaves the address', async (t) => {
  const endpoint = await t.endpoint([text('Here.')]);
  const fragment = `#base=${encodeURIComponent(endpoint.baseUrl)}&model=maker%2Fm%3A1&name=Mine%20%26%20more`;
  const page = await openBy(t, fragment);
  assert.equal(await value(page, 'base-url'), endpoint.baseUrl);
  assert.equal(await value(page, 'model'), 'maker/m:1');
  assert.equal(await value(page, 'name'), 'Mine & more');
  assert.match(await note(page).innerText(), new RegExp(`127\\.0\\.0\\.1:${endpoint.port}`));
  assert.ok(!page.url().includes('#'), page.url());
  await isUntouched(t, page);
  assert.deepEqual(endpoint.hits, []);
  await page.getByTestId('setup-api-key').fill(KEY);
  await page.getByTestId('setup-save').click();
  await page.getByTestId('composer-input').waitFor();
  assert.ok(!(await page.getByTestId('endpoint-add').isVisible()), 'the link is used up');
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests[0].body.model, 'maker/m:1');
});

test('a key in a link is not used, not kept, and told', async (t) => {
  const page = await openBy(t, `#base=https://x.example/v1&key=${KEY}&model=m`);
  assert.equal(await value(page, 'api-key'), '');
  assert.match(await note(page).innerText(), /key in the link was not used/);
  assert.ok(!page.url().includes(KEY));
  const traces = await page.evaluate(() => JSON.stringify([
    document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, history.state, location.href,
  ]));
  assert.ok(!traces.includes(KEY));
});

const HOSTILE = {
  'a script': ['javascript:alert(1)', 'base-url'],
  'markup': ['"><img src=x onerror=alert(1)>', 'base-url'],
  'data': ['data:text/html,<script>alert(1)</script>', 'base-url'],
  'a password': ['https://me:secret@x.example/v1', 'base-url'],
  'something very long': [`https://${'a'.repeat(60_000)}.example/${'b/'.repeat(9_000)}`, 'base-url'],
};

for (const [what, [base, field]] of Object.entries(HOSTILE)) {
  test(`${what} in a link is refused at its field`, async (t) => {
    const markup = encodeURIComponent('<b onclick="alert(1)">m</b>');
    const page = await openBy(t, `#base=${encodeURIComponent(base)}&model=${markup}&name=${markup}`);
    await note(page).waitFor();
    assert.equal(await page.locator('b, img, script[src^="javascript"]').count(), 0);
    assert.ok((await value(page, 'base-url')).length <= 400);
    if (what !== 'something very long') assert.ok(!(await note(page).innerText()).includes('leads to'));
    await isUntouched(t, page);
    if (what === 'something very long') return;
    await page.getByTestId('setup-save').click();
    await page.getByTestId(`setup-${field}-error`).waitFor();
    await isUntouched(t, page);
  });
}

test('with endpoints there, a link opens the form of a new one, and Cancel leaves all as it was', async (t) => {
  const endpoint = await t.endpoint([text('Here.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await follow(page, '#base=https://new.example/v1&model=m');
  await note(page).filter({ hasText: 'new.example' }).waitFor();
  assert.equal(await value(page, 'base-url'), 'https://new.example/v1');
  await until('the fragment is gone', () => !page.url().includes('#'));
  await page.keyboard.press('Escape');
  await note(page).waitFor({ state: 'detached' });
  await page.getByTestId('settings-open').click();
  assert.equal(await page.getByTestId('endpoint-row').count(), 1);
  assert.ok(!(await dumpIndexedDb(page)).includes('new.example'));
  // Once used it does not come back.
  await page.getByTestId('endpoint-add').click();
  assert.equal(await value(page, 'base-url'), '');
  assert.equal(await note(page).count(), 0);
});

test('a link works with the demo in use, and on a reload too', async (t) => {
  const page = await t.open();
  await startDemo(page);
  const url = page.url();
  await page.goto('about:blank');
  await page.goto(`${url}#base=https://new.example/v1`);
  await ready(page);
  await note(page).filter({ hasText: 'new.example' }).waitFor();
  await page.reload();
  await ready(page);
  assert.equal(await note(page).count(), 0);
});

test('fragments that are no such link are left alone', async (t) => {
  const page = await openBy(t, '#messages');
  assert.equal(await note(page).count(), 0);
  assert.ok(page.url().endsWith('#messages'));
});
