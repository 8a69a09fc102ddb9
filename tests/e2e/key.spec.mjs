// The key goes to the endpoint, and nowhere else. Nor does the passphrase it is kept under.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { call, calls, failure, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { dumpIndexedDb, importFiles, KEY, reload, send, setup, waitStopped } from './app.mjs';
import {
  changePassphrase, closeSettings, forgetKeys, keepKeys, lockKeys, openKeys, OTHER_PASSPHRASE, PASSPHRASE, tryUnlock,
  typeNew, unlockKeys, waitKeys,
} from './keys.mjs';

/** Everything of the document that a script in the page could read. */
const dumpDom = (page) => page.evaluate(() => [
  document.documentElement.outerHTML,
  ...[...document.querySelectorAll('*')].flatMap((element) => [
    element.value ?? '', ...[...element.attributes].map(({ name, value }) => `${name}=${value}`),
  ]),
  document.title, location.href, JSON.stringify(history.state), document.cookie, window.name,
  ...Object.keys(window).map((name) => `${name}=${typeof window[name] === 'string' ? window[name] : ''}`),
].join('\n'));

const dumpStorage = (page) => page.evaluate(async () => {
  const caches = await Promise.all((await self.caches.keys()).map(async (name) => (await (await self.caches.open(name)).keys()).map(({ url }) => url)));
  return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, caches]);
});

/** What the page hands out as files: the trace in its two forms. */
async function dumpExports(page) {
  if ((await page.getByTestId('trace-open').count()) === 0) return '';
  await page.getByTestId('trace-open').click();
  await page.getByTestId('trace-round').first().waitFor();
  const files = [];
  for (const id of ['trace-export-json', 'trace-export-otlp']) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId(id).click()]);
    files.push(download.suggestedFilename(), await readFile(await download.path(), 'utf8'));
  }
  // Every round unfolded, so that its request and its answer stand in the document too.
  for (const round of await page.getByTestId('trace-round').all()) {
    await round.getByRole('button').first().click();
    await round.getByTestId('trace-detail').waitFor();
  }
  files.push(await dumpDom(page));
  await page.getByTestId('trace-open').click();
  return files.join('\n');
}

/** The forms in which a secret could lie about. */
const forms = (secret) => {
  const bytes = Buffer.from(secret);
  return [
    secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('hex'), [...bytes].join(','), [...secret].reverse().join(''),
  ];
};

function hides(secret, where, content) {
  for (const form of forms(secret)) {
    const at = content.indexOf(form);
    assert.equal(at, -1, `${secret === KEY ? 'the key' : 'a passphrase'} lies in ${where}: ${content.slice(Math.max(0, at - 80), at + 80)}`);
  }
}

function hidesAll(where, content) {
  for (const secret of [KEY, PASSPHRASE, OTHER_PASSPHRASE]) hides(secret, where, content);
}

async function hidesKeyEverywhere(t, page, when = 'then') {
  hidesAll(`the DOM, ${when}`, await dumpDom(page));
  hidesAll(`IndexedDB, ${when}`, await dumpIndexedDb(page));
  hidesAll(`the browser's other storage, ${when}`, await dumpStorage(page));
  hidesAll(`an address, ${when}`, t.urls.join('\n'));
  hidesAll(`the console, ${when}`, [...t.console, ...t.pageErrors].join('\n'));
}

/** Watches what page and kernel post each other: the key must go one way, once. */
const watchMessages = (page) => page.addInitScript(() => {
  window.fromKernel = [];
  window.Worker = class extends window.Worker {
    constructor(...of) {
      super(...of);
      this.addEventListener('message', ({ data }) => window.fromKernel.push(JSON.stringify(data)));
    }
  };
});

const messages = (page) => page.evaluate(() => window.fromKernel.join('\n'));

function onlyInHeaders(endpoint) {
  for (const { headers, raw } of endpoint.requests) {
    const { authorization, ...others } = headers;
    assert.equal(authorization, `Bearer ${KEY}`);
    hidesAll('another header', JSON.stringify(others));
    hidesAll('a request\'s body', raw);
  }
  hidesAll('a path', endpoint.hits.join('\n'));
}

/** A host that repeats the key wherever it can. */
const gossip = () => [
  calls(call('list_dir', {}), call('write_file', { path: 'a.md', content: 'x' })),
  text('Done.'),
  // Some hosts repeat the key they refuse.
  failure(401, { message: `Incorrect API key provided: ${KEY}.`, code: 'invalid_api_key' }),
  failure(400, { message: `Bad header Authorization: Bearer ${KEY}`, param: KEY, code: KEY }),
];

async function letGossip(page) {
  await send(page, 'Look around');
  await waitStopped(page, 'Completed');
  for (const task of ['Once more', 'And once more']) {
    await send(page, task);
    await waitStopped(page, 'Failed');
    const details = page.getByTestId('stop-reason').last().locator('summary');
    if (await details.count()) await details.click();
  }
}

test('the key is in no place but the request\'s header', async (t) => {
  const endpoint = await t.endpoint([...gossip(), text('Done again.')]);
  const page = await t.open();
  await watchMessages(page);
  await reload(page);
  await setup(page, endpoint);
  await hidesKeyEverywhere(t, page, 'after set-up');
  await letGossip(page);
  await hidesKeyEverywhere(t, page, 'after errors');
  hidesAll('an export', await dumpExports(page));

  await openKeys(page);
  await hidesKeyEverywhere(t, page, 'in the settings');
  await closeSettings(page);
  hidesAll('what the kernel says', await messages(page));

  await reload(page);
  await send(page, 'And again');
  await waitStopped(page, 'Completed');
  await hidesKeyEverywhere(t, page, 'after a reload');
  await forgetKeys(page);
  await hidesKeyEverywhere(t, page, 'when forgotten');
  hidesAll('what the kernel says', await messages(page));
  onlyInHeaders(endpoint);
});

test('nor is it when it is kept on the device, and its passphrase is nowhere at all', async (t) => {
  const endpoint = await t.endpoint([...gossip(), text('Done again.'), text('Done at last.')]);
  const page = await t.open();
  await watchMessages(page);
  await reload(page);
  await setup(page, endpoint);
  await keepKeys(page);
  const stored = () => page.evaluate(() => sessionStorage.getItem('tabloop-sealed-key'));
  assert.equal(await stored(), null, 'the tab keeps nothing beside');
  await hidesKeyEverywhere(t, page, 'kept');
  await letGossip(page);
  await hidesKeyEverywhere(t, page, 'after errors');
  hidesAll('an export', await dumpExports(page));

  await lockKeys(page);
  await hidesKeyEverywhere(t, page, 'locked');
  await tryUnlock(page, OTHER_PASSPHRASE);
  await page.getByTestId('unlock-passphrase-error').waitFor();
  await hidesKeyEverywhere(t, page, 'after a wrong passphrase');
  await unlockKeys(page);
  await hidesKeyEverywhere(t, page, 'unlocked');

  await openKeys(page);
  await page.getByTestId('keys-change').click();
  await page.getByTestId('keys-old').fill(OTHER_PASSPHRASE);
  await typeNew(page, OTHER_PASSPHRASE);
  await page.getByTestId('keys-old-error').waitFor();
  await hidesKeyEverywhere(t, page, 'after a wrong passphrase for a change');
  await page.getByTestId('keys-cancel').click();
  await closeSettings(page);
  await changePassphrase(page, PASSPHRASE, OTHER_PASSPHRASE);
  await hidesKeyEverywhere(t, page, 'with another passphrase');
  hidesAll('what the kernel says', await messages(page));

  await reload(page);
  await hidesKeyEverywhere(t, page, 'after a reload');
  await unlockKeys(page, OTHER_PASSPHRASE);
  await send(page, 'And again');
  await waitStopped(page, 'Completed');
  await hidesKeyEverywhere(t, page, 'after a run');
  hidesAll('an export', await dumpExports(page));
  await forgetKeys(page);
  await hidesKeyEverywhere(t, page, 'when forgotten');
  const { keys } = JSON.parse(await page.evaluate(readVault));
  assert.deepEqual(keys, [], 'nothing is left of them');
  hidesAll('what the kernel says', await messages(page));
  onlyInHeaders(endpoint);
});

/** What the vault's table holds, in the page. */
const readVault = async () => {
  const database = await new Promise((done) => {
    const request = indexedDB.open('tabloop');
    request.onsuccess = () => done(request.result);
  });
  const keys = await new Promise((done) => {
    const request = database.transaction('vault').objectStore('vault').getAllKeys();
    request.onsuccess = () => done(request.result);
  });
  database.close();
  return JSON.stringify({ keys });
};

test('what is typed leaves its field at once', async (t) => {
  const endpoint = await t.endpoint([]);
  const page = await t.open();
  await setup(page, endpoint);
  await openKeys(page);
  await page.getByTestId('keys-keep').click();
  await page.getByTestId('keys-new').fill(PASSPHRASE);
  await page.getByTestId('keys-again').fill(PASSPHRASE);
  // In the very moment of sending, before the kernel has said anything.
  const left = await page.evaluate(() => {
    document.querySelector('[data-testid=keys-save]').click();
    return ['keys-new', 'keys-again'].map((id) => document.getElementById(id).value);
  });
  assert.deepEqual(left, ['', '']);
  await waitKeys(page, 'open');
  await page.getByTestId('keys-lock').click();
  await page.getByTestId('keys-unlock-passphrase').fill(PASSPHRASE);
  const typed = await page.evaluate(() => {
    document.querySelector('[data-testid=keys-unlock]').click();
    return document.getElementById('keys-unlock-passphrase').value;
  });
  assert.equal(typed, '');
  await waitKeys(page, 'open');
});

test('a file that holds the key does not carry it out', async (t) => {
  const endpoint = await t.endpoint([calls(call('read_file', { path: 'notes.md' })), text('Read.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await keepKeys(page);
  await importFiles(page, { 'notes.md': `The key is ${KEY}.\n` });
  await send(page, 'Read the notes');
  await waitStopped(page, 'Completed');
  await until('the result was sent', () => endpoint.requests.length === 2);
  onlyInHeaders(endpoint);
});

test('the dump really reads what is stored', async (t) => {
  const endpoint = await t.endpoint([calls(call('write_file', { path: 'seen.txt', content: 'a word to be found' })), text('An answer to be found.')]);
  const page = await t.open();
  await watchMessages(page);
  await reload(page);
  await setup(page, endpoint);
  await send(page, 'A task to be found');
  await waitStopped(page, 'Completed');
  const dump = await dumpIndexedDb(page);
  for (const words of ['a word to be found', 'An answer to be found.', 'A task to be found']) assert.ok(dump.includes(words), words);
  assert.ok((await messages(page)).includes('An answer to be found.'));
  assert.ok((await dumpExports(page)).includes('An answer to be found.'));
  await openKeys(page);
  await page.getByTestId('endpoint-add').click();
  await page.getByTestId('setup-api-key').fill('a secret to be found');
  assert.ok((await dumpDom(page)).includes('a secret to be found'), 'a field\'s content is seen');
});
