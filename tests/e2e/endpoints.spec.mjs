// Several endpoints: added, chosen, changed and removed in the settings; the models of each,
// in the form and at the composer.

import assert from 'node:assert/strict';
import { body, failure, held, text, MODEL } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { dumpIndexedDb, fillSetup, KEY, reload, send, setup, waitAnswer, waitStopped } from './app.mjs';

const SECOND_KEY = 'sk-e2e-second-Xw3';

const rows = (page) => page.getByTestId('endpoint-row');
const lines = (page, list) => page.getByTestId(list).getByRole('option');

async function openSettings(page) {
  await page.getByTestId('settings-open').click();
  await page.getByTestId('endpoint-add').waitFor();
}

async function closeSettings(page) {
  await page.keyboard.press('Escape');
  await page.getByTestId('endpoint-add').waitFor({ state: 'hidden' });
}

/** Adds an endpoint in the settings, which stay open. */
async function add(page, endpoint, { key = SECOND_KEY, model = MODEL, name = '' } = {}) {
  await openSettings(page);
  await page.getByTestId('endpoint-add').click();
  await page.getByTestId('setup-name').fill(name);
  await fillSetup(page, { baseUrl: endpoint.baseUrl, key, model });
  await page.getByTestId('setup-save').waitFor({ state: 'hidden' });
}

/** Chooses a model at the composer. */
async function choose(page, name) {
  await page.getByTestId('model-picker').click();
  await page.getByTestId('model-search').fill(name);
  await lines(page, 'model-list').filter({ hasText: name }).first().click();
  await page.getByTestId('model-popover').waitFor({ state: 'hidden' });
}

const pickerSays = (page, name) =>
  page.getByTestId('model-picker').filter({ hasText: name }).waitFor();

const sentTo = (endpoint) => endpoint.requests.map(({ headers, body }) => `${body.model} ${headers.authorization}`);

test('a session goes on with another endpoint, and back, and each gets its own key', async (t) => {
  const first = await t.endpoint([text('First here.'), text('First again.')], { models: ['one', 'one-b'] });
  const second = await t.endpoint([text('Second here.')], { models: ['two'], joins: true });
  const page = await t.open();
  await setup(page, { ...first, baseUrl: first.baseUrl, model: 'one' });
  await add(page, second, { model: 'two', name: 'Second' });
  await closeSettings(page);

  await choose(page, 'one');
  await send(page, 'Hello');
  await waitAnswer(page, 'First here.');
  await waitStopped(page, 'Completed');
  await choose(page, 'two');
  await pickerSays(page, 'two');
  await send(page, 'And now?');
  await waitAnswer(page, 'Second here.');
  await waitStopped(page, 'Completed');
  await choose(page, 'one-b');
  await send(page, 'Back again');
  await waitAnswer(page, 'First again.');
  await waitStopped(page, 'Completed');

  assert.deepEqual(sentTo(first), [`one Bearer ${KEY}`, `one-b Bearer ${KEY}`]);
  assert.deepEqual(sentTo(second), [`two Bearer ${SECOND_KEY}`]);
  // The history went along.
  assert.ok(second.requests[0].raw.includes('First here.'));
  await reload(page);
  await pickerSays(page, 'one-b');
});

test('a choice made while a run is under way counts from the next one', async (t) => {
  const endpoint = await t.endpoint([held(text('Still the first.')), text('Now the other.')], { models: ['one', 'other'] });
  const page = await t.open();
  await setup(page, { baseUrl: endpoint.baseUrl, model: 'one' });
  await send(page, 'Take your time');
  await waitAnswer(page, 'Still the first.');
  await page.getByTestId('model-picker').click();
  await page.getByTestId('model-popover').filter({ hasText: 'next run' }).waitFor();
  await lines(page, 'model-list').filter({ hasText: 'other' }).click();
  endpoint.release();
  await waitStopped(page, 'Completed');
  await send(page, 'Go on');
  await waitAnswer(page, 'Now the other.');
  await waitStopped(page, 'Completed');
  assert.deepEqual(endpoint.requests.map(({ body }) => body.model), ['one', 'other']);
});

test('endpoints are listed with their keys, made the default, and removed with them', async (t) => {
  const first = await t.endpoint([text('First here.')]);
  const second = await t.endpoint([]);
  const page = await t.open();
  await setup(page, { baseUrl: first.baseUrl });
  await add(page, second, { key: '', name: 'Spare one' });
  assert.match(await rows(page).nth(0).innerText(), new RegExp(`127\\.0\\.0\\.1:${first.port}.*${MODEL}.*key given`, 's'));
  assert.match(await rows(page).nth(1).innerText(), /Spare one.*no key/s);

  const defaults = () => page.getByTestId('endpoint-default').evaluateAll((all) => all.map((one) => one.ariaPressed));
  assert.deepEqual(await defaults(), ['false', 'true', 'false']);
  await page.getByTestId('endpoint-default').first().click();
  await until('the first is the default', async () => (await defaults())[0] === 'true');

  await rows(page).nth(1).getByTestId('endpoint-remove').click();
  await rows(page).nth(1).filter({ hasText: 'If it has a key' }).waitFor();
  assert.ok(await page.evaluate(() => document.activeElement.dataset.testid === 'endpoint-remove-cancel'));
  await page.keyboard.press('Enter');
  await page.getByTestId('endpoint-remove-confirm').waitFor({ state: 'hidden' });
  assert.equal(await rows(page).count(), 2);
  await rows(page).nth(1).getByTestId('endpoint-remove').click();
  await page.getByTestId('endpoint-remove-confirm').click();
  await until('one is left', async () => (await rows(page).count()) === 1);
  await closeSettings(page);
  await send(page, 'Hello');
  await waitAnswer(page, 'First here.');
  await waitStopped(page, 'Completed');
  assert.ok(!(await dumpIndexedDb(page)).includes('Spare one'));

  await openSettings(page);
  await page.getByTestId('endpoint-remove').click();
  await page.getByTestId('endpoint-remove-confirm').click();
  // Nobody is left: the page begins anew, and comes back without the settings open.
  await setup(page, { baseUrl: first.baseUrl });
  assert.ok(!(await page.getByTestId('endpoint-add').isVisible()));
});

test('an endpoint is changed, keeps its key, and the session follows to its new model', async (t) => {
  const endpoint = await t.endpoint([text('One.'), text('Two.')], { models: ['one', 'two'] });
  const page = await t.open();
  await setup(page, { baseUrl: endpoint.baseUrl, model: 'one' });
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  await openSettings(page);
  await page.getByTestId('endpoint-edit').click();
  assert.equal(await page.getByTestId('setup-base-url').inputValue(), endpoint.baseUrl);
  assert.equal(await page.getByTestId('setup-api-key').inputValue(), '');
  await page.getByTestId('setup-model').fill('two');
  await page.getByTestId('setup-save').click();
  await rows(page).filter({ hasText: 'two' }).waitFor();
  await closeSettings(page);
  await pickerSays(page, 'two');
  await send(page, 'Go on');
  await waitStopped(page, 'Completed');
  assert.deepEqual(sentTo(endpoint), [`one Bearer ${KEY}`, `two Bearer ${KEY}`]);
});

test('a choice of provider fills the form', async (t) => {
  const page = await t.open();
  const value = (name) => page.getByTestId(`setup-${name}`).inputValue();
  const provider = page.getByTestId('setup-provider');
  assert.equal(await value('provider'), 'Other');
  await provider.focus();
  await page.keyboard.type('openr');
  await page.keyboard.press('Enter');
  assert.equal(await value('base-url'), 'https://openrouter.ai/api/v1');
  assert.equal(await value('provider'), 'OpenRouter');
  assert.equal(await value('model'), 'openai/gpt-5-mini');
  const link = page.getByTestId('setup-key-page');
  assert.match(await link.getAttribute('href'), /^https:\/\/openrouter\.ai\//);
  assert.match(await link.getAttribute('rel'), /noopener/);

  // A model typed by hand stays; one that was filled in goes with its provider.
  await provider.click();
  await lines(page, 'setup-providers').filter({ hasText: 'Ollama' }).click();
  assert.equal(await value('base-url'), 'http://localhost:11434/v1');
  assert.equal(await value('model'), 'qwen3');
  await page.getByText(`OLLAMA_ORIGINS="${new URL(page.url()).origin}" ollama serve`).waitFor();
  await page.getByTestId('setup-model').fill('mine');
  await provider.click();
  await lines(page, 'setup-providers').filter({ hasText: 'Groq' }).click();
  assert.equal(await value('model'), 'mine');

  // An address that is none of theirs is told as such.
  await page.getByTestId('setup-base-url').fill('http://127.0.0.1:1/v1');
  await until('the provider is another one', async () => (await value('provider')) === 'Other');
  const own = new URL(page.url()).origin;
  assert.deepEqual(t.urls.filter((url) => new URL(url).origin !== own && !url.startsWith('blob:')), []);
});

test('a list of 5,000 models is searched without delay, and any name can be typed', async (t) => {
  const models = Array.from({ length: 5_000 }, (_, n) => `maker-${n % 50}/model-${n}`);
  const endpoint = await t.endpoint([text('Here.')], { models });
  const page = await t.open();
  await page.getByTestId('setup-base-url').fill(endpoint.baseUrl);
  await page.getByTestId('setup-api-key').fill(KEY);
  await page.getByTestId('setup-models-list').click();
  await until('the list is there', async () => (await lines(page, 'setup-models').count()) === 100);
  await page.getByText('100 of 5,000').waitFor();
  assert.equal(endpoint.listed[0].authorization, `Bearer ${KEY}`);

  const model = page.getByTestId('setup-model');
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask', buffered: false });
  });
  await model.pressSequentially('model-4321');
  await until('one is left', async () => (await lines(page, 'setup-models').count()) === 1);
  const longest = await page.evaluate(() => window.longest);
  assert.ok(longest < 1_000, `typing holds the page up for ${longest} ms`);

  await page.keyboard.press('ArrowDown');
  assert.equal(await model.getAttribute('aria-activedescendant'), await lines(page, 'setup-models').first().getAttribute('id'));
  assert.equal(await lines(page, 'setup-models').first().getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Enter');
  assert.equal(await model.inputValue(), 'maker-21/model-4321');
  assert.equal(await model.getAttribute('aria-expanded'), 'false');
  assert.ok(await page.getByTestId('setup-save').isVisible(), 'taking a name saves nothing');

  // Letters in their order will do; Home, End and Escape do as they should.
  await model.fill('m9/m4909');
  await until('the one is found', async () => (await lines(page, 'setup-models').allInnerTexts()).some((line) => line.includes('maker-9/model-4909')));
  await model.fill('');
  await until('all are there', async () => (await lines(page, 'setup-models').count()) === 100);
  const active = () => lines(page, 'setup-models').evaluateAll((all) => all.findIndex((line) => line.ariaSelected === 'true'));
  for (const [key, at] of [['ArrowDown', 0], ['End', 99], ['ArrowDown', 0], ['ArrowUp', 99], ['Home', 0]]) {
    await page.keyboard.press(key);
    assert.equal(await active(), at, key);
    const isSeen = await lines(page, 'setup-models').nth(at).evaluate((line) => {
      const [inner, outer] = [line, line.parentElement].map((element) => element.getBoundingClientRect());
      return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
    });
    assert.ok(isSeen, `the line that ${key} leads to can be seen`);
  }
  await page.keyboard.press('Escape');
  assert.equal(await model.getAttribute('aria-expanded'), 'false');

  await model.fill('a-name-of-no-list');
  await page.getByText('What you typed counts').waitFor();
  await page.keyboard.press('Enter');
  await page.getByTestId('composer-input').waitFor();
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests[0].body.model, 'a-name-of-no-list');
});

const LISTS = {
  'a refused key': [failure(401, { message: 'Incorrect API key provided.' }), /didn't accept the key/],
  'no list': [failure(404, { message: 'Unknown request URL' }), /gives no list of models/],
  'a web page': [body(200, 'text/html', '<html>Welcome</html>'), /gives no list of models/],
  'an empty list': [body(200, 'application/json', '{"data":[]}'), /lists no models/],
};

for (const [what, [models, words]] of Object.entries(LISTS)) {
  test(`${what} in place of the models is told, and the name is typed`, async (t) => {
    const endpoint = await t.endpoint([text('Here.')], { models });
    const page = await t.open();
    await page.getByTestId('setup-base-url').fill(endpoint.baseUrl);
    await page.getByTestId('setup-model').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('status').filter({ hasText: words }).first().waitFor();
    await page.keyboard.type(MODEL);
    await page.keyboard.press('Enter');
    await page.getByTestId('composer-input').waitFor();
  });
}

test('an address that is none is told at its field when its models are asked for', async (t) => {
  const page = await t.open();
  await page.getByTestId('setup-base-url').fill('nonsense');
  await page.getByTestId('setup-models-list').click();
  await page.getByTestId('setup-base-url-error').waitFor();
  await page.getByText('Asking for the models').waitFor({ state: 'detached' });
});

test('an extra body that is no object, or says what the page says, is told with the reason', async (t) => {
  const endpoint = await t.endpoint([]);
  const page = await t.open();
  await page.getByTestId('setup-more').click();
  for (const [typed, words] of [['[1]', /object/], ['"x"', /object/], ['{"a": 1', /object/], ['null', /object/], ['{"messages": []}', /messages/], ['{"stream": false}', /stream/], ['{"model": "x"}', /model/]]) {
    await page.getByTestId('option-extra-body').fill(typed);
    await fillSetup(page, { baseUrl: endpoint.baseUrl });
    await page.getByTestId('option-extra-body-error').filter({ hasText: words }).waitFor();
  }
  assert.deepEqual(endpoint.hits, []);
});

const OPTIONS = {
  'option-headers': ['X Title: a', 'X-Title: a'],
  'option-key-header': ['a b', 'api-key'],
  'option-extra-body': ['{"messages": []}', '{"seed": 7}'],
  'option-temperature': ['hot', '0.7'],
  'option-top-p': ['2', '0.9'],
  'option-max-tokens': ['0', '4096'],
};

test('each option that can not be sent is told at its field, and the good ones are kept', async (t) => {
  const endpoint = await t.endpoint([]);
  const page = await t.open();
  await page.getByTestId('setup-more').click();
  for (const [id, [wrong]] of Object.entries(OPTIONS)) await page.getByTestId(id).fill(wrong);
  await page.getByTestId('setup-more').click();
  await fillSetup(page, { baseUrl: endpoint.baseUrl });
  // They unfold to be seen.
  for (const id of Object.keys(OPTIONS)) {
    await page.getByTestId(`${id}-error`).waitFor();
    assert.equal(await page.getByTestId(id).getAttribute('aria-invalid'), 'true');
  }
  await until('the first has the focus', () => page.evaluate(() => document.activeElement.dataset.testid === 'option-headers'));
  for (const [id, [, right]] of Object.entries(OPTIONS)) await page.getByTestId(id).fill(right);
  await page.getByTestId('option-effort').fill('low');
  await page.getByTestId('option-whole').check();
  await page.getByTestId('setup-save').click();
  await page.getByTestId('composer-input').waitFor();
  await reload(page);
  await openSettings(page);
  await page.getByTestId('endpoint-edit').click();
  for (const [id, [, right]] of Object.entries(OPTIONS)) assert.equal(await page.getByTestId(id).inputValue(), right);
  assert.equal(await page.getByTestId('option-effort').inputValue(), 'low');
  assert.ok(await page.getByTestId('option-whole').isChecked());
  assert.ok(!(await page.getByTestId('option-text-calls').isChecked()));
});

test('the figures of a model are known, told from where, and the user\'s own go with the model', async (t) => {
  const endpoint = await t.endpoint([], { models: ['gpt-4.1-mini', 'one'] });
  const page = await t.open();
  await setup(page, { baseUrl: endpoint.baseUrl, model: 'openai/gpt-4.1-mini' });
  await openSettings(page);
  await page.getByTestId('facts-source').filter({ hasText: 'list prices as of' }).waitFor();
  assert.equal(await page.getByTestId('setting-price-out').inputValue(), '1.60');
  assert.equal(await page.getByTestId('setting-window').inputValue(), '1047576');
  await page.getByTestId('setting-price-out').fill('3');
  await page.getByTestId('settings-save').click();
  await page.getByTestId('endpoint-add').waitFor({ state: 'hidden' });
  await openSettings(page);
  await page.getByTestId('facts-source').filter({ hasText: 'set by you' }).waitFor();
  // With another model the figures change before anything is saved, and what was typed of others stays.
  await page.getByTestId('setting-minutes').fill('7');
  await page.getByTestId('endpoint-edit').click();
  await page.getByTestId('setup-model').fill('one');
  await page.getByTestId('setup-save').click();
  await page.getByTestId('facts-source').filter({ hasText: 'not known' }).waitFor();
  assert.equal(await page.getByTestId('setting-window').inputValue(), '128000');
  assert.equal(await page.getByTestId('setting-minutes').inputValue(), '7');
});

test('what an endpoint refused is shown in its form, and forgotten on request', async (t) => {
  const endpoint = await t.endpoint(({ body }) => ('stream_options' in body
    ? failure(400, { message: 'Unknown parameter: stream_options', param: 'stream_options' })
    : text('Here.')));
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  await openSettings(page);
  await page.getByTestId('endpoint-edit').click();
  await page.getByTestId('endpoint-lessons').filter({ hasText: 'stream_options' }).waitFor();
  await page.getByTestId('endpoint-forget-lessons').click();
  await page.getByTestId('endpoint-lessons').waitFor({ state: 'detached' });
});

test('the models at the composer, with the keyboard alone', async (t) => {
  const endpoint = await t.endpoint([text('Here.')], { models: ['one', 'two', 'three'] });
  const page = await t.open({ viewport: { width: 360, height: 700 } });
  await setup(page, { baseUrl: endpoint.baseUrl, model: 'one' });
  await page.getByTestId('model-picker').focus();
  await page.keyboard.press('Enter');
  await until('the search has the focus', () => page.evaluate(() => document.activeElement.dataset.testid === 'model-search'));
  await until('they are listed', async () => (await lines(page, 'model-list').count()) === 4);
  // A name of no list is taken as it is typed.
  await page.keyboard.type('my-own-one');
  await lines(page, 'model-list').filter({ hasText: 'as typed' }).waitFor();
  await page.getByTestId('model-search').fill('');
  const { x, width } = await page.getByTestId('model-popover').boundingBox();
  assert.ok(x >= 0 && x + width <= 360, 'it fits a small window');
  await page.keyboard.press('Escape');
  await page.getByTestId('model-popover').waitFor({ state: 'hidden' });
  assert.ok(await page.evaluate(() => document.activeElement.dataset.testid === 'model-picker'));
  await page.keyboard.press('Enter');
  await page.getByTestId('model-search').waitFor();
  await page.keyboard.type('thr');
  await page.keyboard.press('Enter');
  await pickerSays(page, 'three');
  assert.ok(await page.evaluate(() => document.activeElement.dataset.testid === 'composer-input'));
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests[0].body.model, 'three');
});
