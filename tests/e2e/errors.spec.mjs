// What goes wrong at the endpoint, at once or five times running: the user is told the cause
// and the next step, loses nothing, and "Try again" works.

import assert from 'node:assert/strict';
import { call, calls, dropped, failure, text, truncated, webPage } from './endpoint.mjs';
import { test } from './harness.mjs';
import { continueRun, fileRow, reload, send, setup, waitAnswer, waitStopped } from './app.mjs';

const HALF = 'The first half of the answer';
/** How often a request is sent whose failure may pass. */
const TRIES = 5;

const failures = {
  'a wrong key (401)': {
    reply: failure(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }),
    told: [/key/i, /127\.0\.0\.1/],
  },
  'an unknown model or address (404)': {
    reply: failure(404, { message: 'The model `scripted-model` does not exist', code: 'model_not_found' }),
    told: [/model|address/i, /127\.0\.0\.1/],
  },
  'no credit (402)': {
    reply: failure(402, { message: 'Insufficient balance' }),
    told: [/credit|balance|billing/i],
  },
  'no credit (429)': {
    reply: failure(429, { message: 'You exceeded your current quota, please check your plan and billing details.', code: 'insufficient_quota' }),
    told: [/credit|balance|billing/i],
  },
  'too many requests (429)': {
    reply: failure(429, { message: 'Rate limit reached for requests.', code: 'rate_limit_exceeded' }, 0),
    passes: true,
    told: [/127\.0\.0\.1/, /wait|later/i],
  },
  'a failing host (500)': {
    reply: failure(500, { message: 'The server had an error' }, 0),
    passes: true,
    told: [/500|server|host/i, /again|later/i],
  },
  'a web page instead of an answer (200)': {
    reply: webPage(),
    told: [/address/i],
  },
  'an overloaded host (529)': {
    reply: failure(529, { message: 'Overloaded', type: 'overloaded_error' }, 0),
    passes: true,
    told: [/529/, /again|later/i],
  },
};

/** The user can read what happened and finds everything in its place. */
async function isTold(page, patterns) {
  const told = await waitStopped(page, 'Failed');
  for (const pattern of patterns) assert.match(told, pattern);
  assert.doesNotMatch(told, /<\/?[a-z]|\bundefined\b|\bnull\b|JsValue|TypeError/, 'plain words only');
  await page.getByTestId('message-user').filter({ hasText: 'Go on' }).waitFor();
  await fileRow(page, 'before.txt').waitFor();
}

/** A run that works and leaves a file, so that there is something to lose. */
async function workBefore(page) {
  await send(page, 'Begin');
  await waitStopped(page, 'Completed');
}

const BEFORE = [calls(call('write_file', { path: 'before.txt', content: 'x' })), text('Begun.')];

for (const [what, { reply, told, passes }] of Object.entries(failures)) {
  test(what, async (t) => {
    const tries = passes ? TRIES : 1;
    const endpoint = await t.endpoint([...BEFORE, ...Array(tries).fill(reply), text('Here I am again.')]);
    const page = await t.open();
    await setup(page, endpoint);
    await workBefore(page);
    await send(page, 'Go on');
    await isTold(page, told);
    assert.equal(endpoint.requests.length, 2 + tries);

    await continueRun(page);
    await waitStopped(page, 'Completed');
    await waitAnswer(page, 'Here I am again.');
    for (const { body } of endpoint.requests.slice(2)) assert.deepEqual(body.messages, endpoint.requests[2].body.messages);
  });
}

test('an endpoint that can\'t be reached', async (t) => {
  const endpoint = await t.endpoint([...BEFORE, text('Here I am again.')]);
  const page = await t.open({ url: (await t.serveHurried()).url });
  await setup(page, endpoint);
  await workBefore(page);
  await endpoint.close();
  await send(page, 'Go on');
  await isTold(page, [/reach/i, new RegExp(`127\\.0\\.0\\.1:${endpoint.port}`)]);

  await endpoint.listen(endpoint.port);
  await continueRun(page);
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'Here I am again.');
});

for (const [what, cut] of Object.entries({ 'ends too early': truncated, 'breaks in the middle': dropped })) {
  test(`an answer that ${what} is asked for again`, async (t) => {
    const endpoint = await t.endpoint([...BEFORE, cut(text(HALF)), text('The whole answer.')]);
    const page = await t.open();
    await setup(page, endpoint);
    await workBefore(page);
    await send(page, 'Go on');
    await waitStopped(page, 'Completed');
    await waitAnswer(page, 'The whole answer.');
    assert.deepEqual(endpoint.requests[3].body.messages, endpoint.requests[2].body.messages);
  });
}

test('half an answer, five times running, is shown as incomplete, also after a reload, and never sent', async (t) => {
  const endpoint = await t.endpoint([...BEFORE, ...Array(TRIES).fill(truncated(text(HALF))), text('The whole answer.')]);
  const page = await t.open({ url: (await t.serveHurried()).url });
  await setup(page, endpoint);
  await workBefore(page);
  await send(page, 'Go on');
  await isTold(page, [/incomplete|broke off|cut off|ended early/i]);
  for (const look of ['at once', 'after a reload']) {
    if (look === 'after a reload') await reload(page);
    const half = page.getByTestId('message-assistant').filter({ hasText: HALF });
    await half.waitFor();
    assert.equal(await half.count(), 1, look);
    assert.match(await half.innerText(), /incomplete/i, look);
  }
  await send(page, 'What is the rest?');
  await waitStopped(page, 'Completed');
  for (const { raw } of endpoint.requests) assert.doesNotMatch(raw, new RegExp(HALF));
});

test('what the host said is under Details, word for word but for the key', async (t) => {
  const key = `sk-${'aB3dE6gH9jK2mN5pQ8s'.repeat(2)}`;
  const said = `Unsupported parameter: 'top_p' is not supported with this model. Your key: ${key}`;
  const endpoint = await t.endpoint([failure(400, { message: said, param: 'top_p', code: 'unsupported_parameter' })]);
  const page = await t.open();
  await setup(page, { ...endpoint, baseUrl: endpoint.baseUrl, key });
  await send(page, 'Begin');
  const told = await waitStopped(page, 'Failed');
  assert.match(told, /“top_p”/);
  const details = page.locator('.end__details');
  await details.locator('summary').click();
  const words = await details.innerText();
  assert.match(words, /Unsupported parameter: 'top_p'/);
  assert.match(words, /"code":"unsupported_parameter"/, 'the body as it came');
  assert.doesNotMatch(await page.content(), /aB3dE6gH9j/);
});

test('calls that a server passes on as text are not shown, and the user is told what is missing', async (t) => {
  const endpoint = await t.endpoint([
    text('Let me see.<|tool_calls_section_begin|><|tool_call_begin|>functions.list_dir:0<|tool_call_argument_begin|>{}'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Look');
  await waitAnswer(page, 'Let me see.');
  await page.getByText('It lacks a tool parser for this model').waitFor();
  assert.doesNotMatch(await page.content(), /section_begin|functions\.list_dir/);
});
