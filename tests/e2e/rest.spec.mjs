// What the page loads once it takes input: nothing before that waits for it, and what is opened
// before it is there says so.

import assert from 'node:assert/strict';
import { fillSetup, send, startDemo, waitStopped } from './app.mjs';
import { text } from './endpoint.mjs';
import { test } from './harness.mjs';

const REST = /tabloop-[^/]*\.wasm$/;

/** How the rest was asked for since the page was opened: in passing, or by one who waits for it. */
const ways = (page) => {
  const asked = [];
  page.context().on('request', (request) => {
    if (REST.test(request.url())) asked.push(request.resourceType());
  });
  return asked;
};

/** The page as it is where the rest can't be had, until `page.unrouteAll()`. */
async function openWithout(t) {
  const page = await t.open();
  await page.context().route(REST, (route) => route.abort());
  await page.reload();
  await page.locator('html[data-ready="true"]').waitFor();
  return page;
}

test('nothing that is needed to take input lies in the rest', async (t) => {
  const page = await t.open();
  const asked = ways(page);
  const again = async () => {
    const fetched = page.waitForResponse(REST);
    await page.reload();
    await page.locator('html[data-ready="true"]').waitFor();
    await fetched;
  };
  await again();
  await startDemo(page);
  await send(page, 'Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md');
  await waitStopped(page, 'Completed');
  await again();
  // A function of the rest that is called before would have it asked for by an "xhr" that waits:
  // build with TABLOOP_NAMES=1 to see which, and name it in scripts/later.txt.
  assert.deepEqual(asked, ['fetch', 'fetch']);
});

test('what is asked for before it is there waits for it', async (t) => {
  const page = await openWithout(t);
  await page.getByText('A part of the app could not be loaded').waitFor();
  await page.getByTestId('setup-demo').click();
  await page.context().unroute(REST);
  await page.getByTestId('composer-input').waitFor();
  assert.equal(await page.getByText('A part of the app could not be loaded').count(), 0);
});

test('a dialog that is opened before it is there says so, and opens by itself', async (t) => {
  const page = await t.open();
  await startDemo(page);
  await page.context().route(REST, (route) => route.abort());
  await page.reload();
  await page.locator('html[data-ready="true"]').waitFor();
  await page.getByTestId('settings-open').click();
  await page.getByTestId('later').waitFor();
  assert.equal(await page.getByTestId('setting-round-limit').count(), 0);
  await page.context().unroute(REST);
  await page.getByTestId('setting-round-limit').waitFor();
  assert.equal(await page.getByTestId('later').count(), 0);
});

test('a task that is sent before it is there is worked on once it is', async (t) => {
  const endpoint = await t.endpoint([text('Here.')]);
  const page = await openWithout(t);
  await fillSetup(page, endpoint);
  await page.context().unroute(REST);
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests.length, 1);
});
