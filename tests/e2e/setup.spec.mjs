// The form of the first start: addresses as users paste them, and what is wrong with
// them told at the field before anything is sent.

import assert from 'node:assert/strict';
import { text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { fillSetup, send, setup, waitAnswer, waitStopped } from './app.mjs';

const field = (page, name) => page.getByTestId(`setup-${name}`);

/** The field is marked as wrong and says why, next to it. */
async function isTold(page, name) {
  const error = field(page, `${name}-error`);
  await error.waitFor();
  assert.notEqual((await error.innerText()).trim(), '');
  assert.equal(await field(page, name).getAttribute('aria-invalid'), 'true');
  const described = (await field(page, name).getAttribute('aria-describedby')) ?? '';
  assert.ok(described.split(' ').includes(await error.getAttribute('id')), 'the field is described by its error');
}

const MALFORMED = {
  'an empty address': '',
  'blanks': '   ',
  'words': 'not a url',
  'a scheme nobody has': 'htp:/x',
  'no scheme': 'api.example.com/v1',
  'no scheme, but a port': '127.0.0.1:8080/v1',
  'an unencrypted address of another machine': 'http://api.example.com/v1',
  'a password in the address': 'https://me:secret@api.example.com/v1',
  'a name in the address': 'https://me@api.example.com/v1',
  'a script': 'javascript:alert(1)',
  'a script that looks like an address': 'javascript://api.example.com/%0aalert(1)',
  'data': 'data:text/html,<script>alert(1)</script>',
  'blanks within the host': 'https://api example.com/v1',
  'blanks within the path': 'https://api.example.com/v 1',
  'quotes within the host': 'https://api"example.com/v1',
  'an IPv6 address': 'https://[2001:db8::1]/v1',
  'this machine by its IPv6 address': 'http://[::1]:11434/v1',
  'a port that is none': 'https://api.example.com:99999/v1',
};

test('a malformed address is told at the field, and nothing is sent', async (t) => {
  const page = await t.open();
  for (const [what, baseUrl] of Object.entries(MALFORMED)) {
    await fillSetup(page, { baseUrl });
    await isTold(page, 'base-url').catch((error) => assert.fail(`${what}: ${error.message}`));
    assert.ok(await field(page, 'save').isVisible(), 'the form stays');
  }
  const own = new URL(page.url()).origin;
  assert.deepEqual(t.urls.filter((url) => new URL(url).origin !== own && !url.startsWith('blob:')), []);
});

test('a corrected address clears the error and works', async (t) => {
  const endpoint = await t.endpoint([text('Here I am.')]);
  const page = await t.open();
  await fillSetup(page, { baseUrl: 'nonsense' });
  await isTold(page, 'base-url');
  await setup(page, endpoint);
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
});

test('a missing model and a key no header can carry are told at their fields', async (t) => {
  const page = await t.open();
  await fillSetup(page, { baseUrl: 'http://127.0.0.1:1/v1', model: ' ' });
  await isTold(page, 'model');
  await fillSetup(page, { baseUrl: 'http://127.0.0.1:1/v1', key: 'clé 鍵' });
  await isTold(page, 'api-key');
});

test('a key over two lines is told; one with a line end and Bearer goes out as it should', async (t) => {
  const endpoint = await t.endpoint([text('Here I am.')]);
  const page = await t.open();
  await fillSetup(page, { baseUrl: endpoint.baseUrl, key: 'sk-e2e-of-\ntwo-lines' });
  await isTold(page, 'api-key');
  await setup(page, { baseUrl: endpoint.baseUrl, key: ' Bearer sk-e2e-of-one-line\n' });
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests[0].headers.authorization, 'Bearer sk-e2e-of-one-line');
});

const FORMS = {
  'as documented': (origin) => `${origin}/v1`,
  'with blanks and a slash': (origin) => `  ${origin}/v1/ `,
  'without /v1': (origin) => origin,
  'without /v1, with a slash': (origin) => `${origin}/`,
  'with a doubled /v1': (origin) => `${origin}/v1/v1`,
  'in quotes': (origin) => `"${origin}/v1"`,
  'in angle brackets': (origin) => `<${origin}/v1>`,
  'with the full path': (origin) => `${origin}/v1/chat/completions`,
  'by the name localhost': (origin) => `${origin.replace('127.0.0.1', 'localhost')}/v1`,
};

for (const [how, form] of Object.entries(FORMS)) {
  test(`the address ${how} reaches the endpoint`, async (t) => {
    const endpoint = await t.endpoint([text('Here I am.'), text('Still here.')]);
    const page = await t.open();
    await setup(page, { baseUrl: form(endpoint.origin) });
    for (const [message, answer] of [['Hello', 'Here I am.'], ['Hello again', 'Still here.']]) {
      await send(page, message);
      await waitStopped(page, 'Completed');
      await waitAnswer(page, answer);
    }
    const posts = endpoint.hits.filter((hit) => hit.startsWith('POST'));
    assert.deepEqual(posts.filter((hit) => hit === 'POST /v1/chat/completions').length, 2);
    assert.ok(posts.length <= 3, `what was found out once is not asked again: ${posts.join(', ')}`);
  });
}

test('without a key no Authorization header is sent', async (t) => {
  const endpoint = await t.endpoint([text('Here I am.')]);
  const page = await t.open();
  await setup(page, { baseUrl: endpoint.baseUrl, key: '' });
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests[0].headers.authorization, undefined);
});
