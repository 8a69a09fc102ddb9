// Everything a first task needs, with the keyboard alone.

import assert from 'node:assert/strict';
import { call, calls, text, MODEL } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { KEY, waitAnswer, waitShown, waitStopped } from './app.mjs';

/** Presses Tab until the focus is on an element that fits `selector`, and is to be seen there. */
async function tabTo(page, selector) {
  for (let presses = 0; presses < 60; presses += 1) {
    const focus = await page.evaluate((selector) => {
      const element = document.activeElement;
      if (!element?.matches(selector)) return null;
      const { outlineStyle, boxShadow, borderColor } = getComputedStyle(element);
      return { outlineStyle, boxShadow, borderColor };
    }, selector);
    if (focus) {
      assert.ok(focus.outlineStyle !== 'none' || focus.boxShadow !== 'none', `the focus on ${selector} can be seen`);
      return;
    }
    await page.keyboard.press('Tab');
  }
  assert.fail(`${selector} can't be reached with Tab`);
}

const byId = (id) => `[data-testid="${id}"]`;

test('set-up, a task and a file, with the keyboard alone', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'typed.txt', content: 'by hand\n' })),
    text('Written.'),
  ]);
  const page = await t.open();
  for (const [name, value] of [['base-url', endpoint.baseUrl], ['api-key', KEY], ['model', MODEL]]) {
    await tabTo(page, byId(`setup-${name}`));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(value);
  }
  await page.keyboard.press('Enter');
  await page.getByTestId('composer-input').waitFor();
  await until('the composer has the focus', () =>
    page.evaluate((selector) => document.activeElement.matches(selector), byId('composer-input')));

  const task = 'Write a file\nby hand';
  t.sent.push(task);
  await page.keyboard.type('Write a file');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('by hand');
  await page.keyboard.press('Enter');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'Written.');

  await tabTo(page, `${byId('tool-card')} ${byId('tool-toggle')}`);
  await page.keyboard.press('Enter');
  await page.getByTestId('tool-args').filter({ hasText: 'typed.txt' }).waitFor();

  await tabTo(page, `${byId('file-row')}[data-path="typed.txt"], ${byId('file-row')}[data-path="typed.txt"] *`);
  await page.keyboard.press('Enter');
  await page.getByTestId('file-viewer').waitFor();
  await waitShown(page, 'by hand\n');
});

test('the settings take the focus, and give it back', async (t) => {
  const endpoint = await t.endpoint([]);
  const page = await t.open();
  await page.getByTestId('setup-base-url').fill(endpoint.baseUrl);
  await page.getByTestId('setup-model').fill(MODEL);
  await page.getByTestId('setup-save').press('Enter');
  await page.getByTestId('composer-input').waitFor();
  await tabTo(page, byId('settings-open'));
  await page.keyboard.press('Enter');
  await page.getByTestId('setting-round-limit').waitFor();
  assert.ok(await page.evaluate(() => document.activeElement.closest('dialog, [role="dialog"]') !== null));
  await page.keyboard.press('Escape');
  await page.getByTestId('setting-round-limit').waitFor({ state: 'hidden' });
  assert.ok(await page.evaluate((selector) => document.activeElement.matches(selector), byId('settings-open')));
});
