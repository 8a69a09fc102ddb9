// What the browser stores: how much there is, whether it stays, and the request to keep it.

import assert from 'node:assert/strict';
import { text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { reload, send, setup, waitStopped } from './app.mjs';

/** Counts what is asked of the browser, and has it agree or not. */
const watch = (page, agrees) => page.addInitScript((agrees) => {
  let kept = sessionStorage.getItem('kept') === 'yes';
  navigator.storage.persisted = async () => kept;
  navigator.storage.persist = async () => {
    sessionStorage.setItem('asked', Number(sessionStorage.getItem('asked')) + 1);
    kept = agrees;
    if (agrees) sessionStorage.setItem('kept', 'yes');
    return agrees;
  };
}, agrees);

const asked = (page) => page.evaluate(() => Number(sessionStorage.getItem('asked')));

async function start(t, agrees) {
  const page = await t.open();
  await watch(page, agrees);
  await reload(page);
  await setup(page, await t.endpoint([text('Hello.'), text('Again.')]));
  return page;
}

test('the browser is asked to keep the work once there is some, and once only', async (t) => {
  const page = await start(t, true);
  assert.equal(await asked(page), 0);
  for (const word of ['Hi', 'And again']) {
    await send(page, word);
    await waitStopped(page, 'Completed');
  }
  await until('the browser was asked', async () => (await asked(page)) > 0);
  await reload(page);
  assert.equal(await asked(page), 1);
  await page.getByTestId('settings-open').click();
  await page.getByTestId('storage-used').filter({ hasText: /in use; the browser gives up to/ }).waitFor();
  await page.getByTestId('storage-stays').filter({ hasText: 'stay until you remove them' }).waitFor();
  assert.equal(await page.getByTestId('storage-keep').isVisible(), false);
});

test('where the browser did not agree the settings say so, and ask again on demand', async (t) => {
  const page = await start(t, false);
  await page.getByTestId('settings-open').click();
  await page.getByTestId('storage-stays').filter({ hasText: 'may clear files and sessions' }).waitFor();
  await page.getByTestId('storage-keep').click();
  await page.getByTestId('storage-stays').filter({ hasText: "didn't agree" }).waitFor();
  assert.equal(await asked(page), 1);
});
