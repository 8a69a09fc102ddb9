// A phone of 360 px: one pane at a time, nothing cut off, nothing to scroll sideways.

import assert from 'node:assert/strict';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { send, setup, waitStopped } from './app.mjs';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

async function fits(page, where) {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.scrollingElement.scrollWidth, client: document.scrollingElement.clientWidth,
  }));
  assert.ok(scroll <= client, `${where}: the page is ${scroll} px wide in a window of ${client}`);
}

/** The element lies wholly in the window, and a finger can hit it. */
async function canBeTouched(page, id) {
  const box = await page.getByTestId(id).boundingBox();
  assert.ok(box, `${id} is shown`);
  assert.ok(box.x >= 0 && box.x + box.width <= 360 && box.y >= 0 && box.y + box.height <= 740, `${id} lies in the window: ${JSON.stringify(box)}`);
  assert.ok(box.height >= 40, `${id} is ${box.height} px high`);
}

const PANES = [['tab-sessions', 'session-list'], ['tab-files', 'file-tree'], ['tab-chat', 'composer-input']];
const LONG = 'https://example.com/' + 'an-address-without-a-place-to-break-it'.repeat(8);

test('at 360 px everything is in reach', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: `${'a-name-as-long-as-they-come-'.repeat(4)}.txt`, content: `${LONG}\n` })),
    text(`See ${LONG}\n\n    ${LONG}\n\n| a | b |\n|---|---|\n| ${LONG} | c |`),
  ]);
  const page = await t.open(PHONE);
  await fits(page, 'first start');
  await setup(page, endpoint);
  await fits(page, 'empty session');
  for (const id of ['composer-input', 'composer-send', 'tab-sessions', 'tab-chat', 'tab-files']) await canBeTouched(page, id);

  await send(page, `Look at ${LONG}`);
  await waitStopped(page, 'Completed');
  await fits(page, 'after a run');
  await canBeTouched(page, 'composer-send');

  for (const [tab, pane] of PANES) {
    await page.getByTestId(tab).tap();
    await page.getByTestId(pane).waitFor();
    await fits(page, tab);
    for (const [, other] of PANES) {
      assert.equal(await page.getByTestId(other).isVisible(), other === pane, `${other} while ${tab} is chosen`);
    }
  }

  await page.getByTestId('tab-files').tap();
  await page.getByTestId('file-row').filter({ hasText: 'a-name' }).first().tap();
  await page.getByTestId('file-viewer').locator('pre').waitFor();
  await fits(page, 'a file');
  await page.getByTestId('file-close').tap();
  await page.getByTestId('file-tree').waitFor();
});
