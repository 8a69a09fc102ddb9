// The round limit: a last word from the model, and a way on.

import assert from 'node:assert/strict';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { continueRun, send, setRoundLimit, setup, toolCards, waitAnswer, waitStopped } from './app.mjs';

test('at the limit the model reports without tools, and Continue goes on', async (t) => {
  const endpoint = await t.endpoint((request, n) => {
    if (!request.body.tools) return text(`Report ${n}: half of it is done.`);
    return n < 5 ? calls(call('list_dir', {})) : text('All of it is done.');
  });
  const page = await t.open();
  await setup(page, endpoint);
  await setRoundLimit(page, 2);
  await send(page, 'Go through all of it');
  assert.match(await waitStopped(page, 'RoundLimit'), /2/);
  await waitAnswer(page, 'Report 3: half of it is done.');
  assert.deepEqual(endpoint.requests.map(({ body }) => 'tools' in body), [true, true, false]);

  await continueRun(page);
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'All of it is done.');
  assert.deepEqual(endpoint.requests.map(({ body }) => 'tools' in body), [true, true, false, true, true]);
  assert.deepEqual(await toolCards(page), Array(3).fill('list_dir ok'));
  const history = JSON.stringify(endpoint.requests[4].body.messages);
  assert.match(history, /Report 3/);
});

test('Continue is allowed as many rounds as the run before', async (t) => {
  const endpoint = await t.endpoint((request) =>
    request.body.tools ? calls(call('list_dir', {})) : text('Not done yet.'));
  const page = await t.open();
  await setup(page, endpoint);
  await setRoundLimit(page, 3);
  await send(page, 'Never end');
  await waitStopped(page, 'RoundLimit');
  await continueRun(page);
  await endpoint.arrived(8);
  await waitStopped(page, 'RoundLimit');
  assert.deepEqual(
    endpoint.requests.map(({ body }) => 'tools' in body),
    [true, true, true, false, true, true, true, false],
  );
});

test('a limit outside of 1 to 500 is told at the field', async (t) => {
  const endpoint = await t.endpoint([text('Hello.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await page.getByTestId('settings-open').click();
  const limit = page.getByTestId('setting-round-limit');
  for (const wrong of ['0', '501', '']) {
    await limit.fill(wrong);
    await page.getByTestId('settings-save').click();
    await page.locator('[data-testid="setting-round-limit"][aria-invalid="true"]').waitFor();
  }
  await limit.fill('500');
  await page.getByTestId('settings-save').click();
  await limit.waitFor({ state: 'hidden' });
});
