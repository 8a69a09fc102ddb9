// What is told while the tab is hidden: its title, its icon, and notifications for those who wish them.

import assert from 'node:assert/strict';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { send, setApproval, setup, waitStopped } from './app.mjs';

/** A browser whose notifications are written down, and whose tab is hidden when the test says so. */
async function begin(t, endpoint) {
  const page = await t.open({ settled: async (page) => {
    await page.addInitScript(() => {
      window.asked = 0;
      window.told = [];
      window.isAway = false;
      Object.defineProperty(document, 'hidden', { get: () => window.isAway });
      window.Notification = class {
        static permission = sessionStorage.getItem('permission') ?? 'default';
        static async requestPermission() {
          window.asked += 1;
          this.permission = 'granted';
          sessionStorage.setItem('permission', 'granted');
          return 'granted';
        }
        constructor(title, { body, tag }) {
          window.told.push({ title, body, tag });
          window.last = this;
        }
        close() {}
      };
    });
    await page.reload();
    await page.locator('[data-ready="true"]').waitFor({ state: 'attached' });
  } });
  await setup(page, endpoint);
  await page.getByTestId('composer-attach').waitFor();
  return page;
}

const away = (page, isAway) => page.evaluate((isAway) => {
  window.isAway = isAway;
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
}, isAway);
const titleIs = (page, title) => until(`the title is ${title}`, async () => (await page.title()) === title);
const icon = (page) => page.locator('link[rel="icon"]').getAttribute('href');

test('title and icon tell how the run stands, and who came back is asked once whether to be notified', async (t) => {
  const endpoint = await t.endpoint([held(text('One.')), held(text('Two.')), text('Three.')]);
  const page = await begin(t, endpoint);
  const own = await icon(page);
  assert.equal(await page.title(), 'Tabloop');
  await send(page, 'Count the apples');
  await titleIs(page, 'Working: Count the apples – Tabloop');
  assert.match(await icon(page), /^data:image\/svg\+xml,/);
  await away(page, true);
  endpoint.release();
  await titleIs(page, 'Ended: Count the apples – Tabloop');
  // Nothing was asked for and nothing told so far.
  assert.deepEqual(await page.evaluate(() => [window.asked, window.told.length]), [0, 0]);
  await away(page, false);
  await titleIs(page, 'Tabloop');
  assert.equal(await icon(page), own);
  await page.getByTestId('notify-yes').click();
  await page.getByTestId('notify-ask').waitFor({ state: 'detached' });
  await until('the browser is asked', () => page.evaluate(() => window.asked === 1));

  await send(page, 'And the pears');
  await page.getByTestId('composer-stop').waitFor();
  await away(page, true);
  endpoint.release();
  const [told] = await until('it is told', () => page.evaluate(() => window.told.length && window.told));
  assert.equal(told.title, 'Ended');
  assert.equal(told.body, 'Count the apples');
  // A press on it leads to the session.
  await page.evaluate(() => window.last.onclick());
  await away(page, false);
  assert.equal(await page.getByTestId('notify-ask').count(), 0);
  // Who looks is not told.
  await send(page, 'Thanks');
  await waitStopped(page, 'Completed');
  assert.equal(await page.evaluate(() => window.told.length), 1);
});

test('a run that waits for an answer is told, and the settings end it', async (t) => {
  const endpoint = await t.endpoint([
    held(calls(call('write_file', { path: 'a.txt', content: 'x\n' }))), text('Written.'),
  ]);
  const page = await begin(t, endpoint);
  await setApproval(page, 'writes');
  await page.getByTestId('settings-open').click();
  await page.getByTestId('setting-notify').check();
  await until('the browser is asked', () => page.evaluate(() => window.asked === 1));
  await page.keyboard.press('Escape');
  await page.getByTestId('setting-notify').waitFor({ state: 'hidden' });
  await send(page, 'Write it');
  await page.getByTestId('composer-stop').waitFor();
  await away(page, true);
  endpoint.release();
  await titleIs(page, 'Waiting for you: Write it – Tabloop');
  await until('it is told', () => page.evaluate(() => window.told.some(({ title }) => title === 'Waiting for you')));
  await away(page, false);
  await page.getByTestId('approval-allow').click();
  await waitStopped(page, 'Completed');
  await page.getByTestId('settings-open').click();
  assert.ok(await page.getByTestId('setting-notify').isChecked());
  await page.getByTestId('setting-notify').uncheck();
  assert.equal(await page.evaluate(() => localStorage.getItem('tabloop.notify')), 'no');
});
