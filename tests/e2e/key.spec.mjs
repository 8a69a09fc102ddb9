// The key goes to the endpoint, and nowhere else.

import assert from 'node:assert/strict';
import { call, calls, failure, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { dumpIndexedDb, KEY, reload, send, setup, waitStopped } from './app.mjs';

/** Everything of the document that a script in the page could read. */
const dumpDom = (page) => page.evaluate(() => [
  document.documentElement.outerHTML,
  ...[...document.querySelectorAll('*')].flatMap((element) => [
    element.value ?? '', ...[...element.attributes].map(({ name, value }) => `${name}=${value}`),
  ]),
  document.title, location.href, JSON.stringify(history.state), document.cookie,
].join('\n'));

const dumpStorage = (page) => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

/** The forms in which a key could lie about. */
const forms = (key) => [
  key, encodeURIComponent(key), Buffer.from(key).toString('base64').replace(/=+$/, ''),
  Buffer.from(key).toString('hex'), [...Buffer.from(key)].join(','), [...key].reverse().join(''),
];

function hidesKey(where, content) {
  for (const form of forms(KEY)) {
    const at = content.indexOf(form);
    assert.equal(at, -1, `the key lies in ${where}: ${content.slice(Math.max(0, at - 80), at + 80)}`);
  }
}

async function hidesKeyEverywhere(t, page) {
  hidesKey('the DOM', await dumpDom(page));
  hidesKey('IndexedDB', await dumpIndexedDb(page));
  hidesKey('localStorage or sessionStorage', await dumpStorage(page));
  hidesKey('an address', t.urls.join('\n'));
  hidesKey('the console', [...t.console, ...t.pageErrors].join('\n'));
}

test('the key is in no place but the request\'s header', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('list_dir', {})),
    text('Done.'),
    // Some hosts repeat the key they refuse.
    failure(401, { message: `Incorrect API key provided: ${KEY}.`, code: 'invalid_api_key' }),
    text('Done again.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await hidesKeyEverywhere(t, page);
  await send(page, 'Look around');
  await waitStopped(page, 'Completed');
  await send(page, 'Once more');
  await waitStopped(page, 'Failed');
  await hidesKeyEverywhere(t, page);

  await page.getByTestId('settings-open').click();
  await page.getByTestId('setting-round-limit').waitFor();
  await hidesKeyEverywhere(t, page);
  await page.keyboard.press('Escape');

  await reload(page);
  await send(page, 'And again');
  await waitStopped(page, 'Completed');
  await hidesKeyEverywhere(t, page);
  for (const { headers, raw } of endpoint.requests) {
    assert.equal(headers.authorization, `Bearer ${KEY}`);
    hidesKey('a request\'s body', raw);
  }
});

test('the dump really reads what is stored', async (t) => {
  const endpoint = await t.endpoint([calls(call('write_file', { path: 'seen.txt', content: 'a word to be found' })), text('An answer to be found.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'A task to be found');
  await waitStopped(page, 'Completed');
  const dump = await dumpIndexedDb(page);
  for (const words of ['a word to be found', 'An answer to be found.', 'A task to be found']) assert.ok(dump.includes(words), words);
});
