// The settings: limits, prices, the second model, what is asked about. All of it is there again
// after a reload.

import assert from 'node:assert/strict';
import { text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { reload, setup } from './app.mjs';

const VALUES = {
  'setting-round-limit': '40', 'setting-minutes': '5', 'setting-kilo-tokens': '300', 'setting-cents': '0.75',
  'setting-idle-seconds': '60', 'setting-tool-seconds': '10', 'setting-attempts': '3', 'setting-window': '32000',
  'setting-price-in': '2.50', 'setting-price-cached': '0.075', 'setting-price-out': '10.00',
  'setting-second-model': 'a-small-one',
};

/** Values on either side of what each limit may be, and none at all. */
const WRONG = {
  'setting-round-limit': ['0', '501'], 'setting-minutes': ['0', '1441'], 'setting-kilo-tokens': ['-1', '4000001'],
  'setting-cents': ['-0.01', '1000000.01'], 'setting-idle-seconds': ['4', '3601'], 'setting-tool-seconds': ['0', '3601'],
  'setting-attempts': ['0', '11'], 'setting-window': ['2047', '10000001'], 'setting-price-in': ['-1', '10000.0001'],
  'setting-price-cached': ['-1', '10000.0001'], 'setting-price-out': ['-1', '10000.0001'],
};

async function open(page) {
  await page.getByTestId('settings-open').click();
  await page.getByTestId('setting-round-limit').waitFor();
}

async function save(page) {
  await page.getByTestId('settings-save').click();
  await page.getByTestId('setting-round-limit').waitFor({ state: 'hidden' });
}

async function start(t) {
  const page = await t.open();
  await setup(page, await t.endpoint([text('Hello.')]));
  await open(page);
  return page;
}

const values = (page, id) => page.getByTestId(id).evaluateAll((all) => all.map((field) => field.value));

test('every limit is kept, money to the cent and prices to their fourth place', async (t) => {
  const page = await start(t);
  for (const [id, value] of Object.entries(VALUES)) await page.getByTestId(id).fill(value);
  await save(page);
  await reload(page);
  await open(page);
  for (const [id, value] of Object.entries(VALUES)) assert.deepEqual(await values(page, id), [value], id);
});

test('what is wrong is told at its field, and nothing is saved until it is right', async (t) => {
  const page = await start(t);
  await page.getByTestId('setting-minutes').fill('7');
  for (const [id, wrong] of [['setting-cents', 'five'], ['setting-price-in', '0.00001'], ['setting-window', '12']]) {
    await page.getByTestId(id).fill(wrong);
    await page.getByTestId('settings-save').click();
    await page.locator(`[data-testid="${id}"][aria-invalid="true"]`).waitFor();
    await until(`${id} has the focus`, () => page.evaluate((id) => document.activeElement.dataset.testid === id, id));
    await page.getByTestId(id).fill(id === 'setting-window' ? '8000' : '1');
  }
  await save(page);
  await open(page);
  assert.deepEqual(await values(page, 'setting-minutes'), ['7']);
});

test('every limit out of its range is refused at its field, in words', async (t) => {
  const page = await start(t);
  for (const [id, wrong] of Object.entries(WRONG)) {
    const field = page.getByTestId(id);
    const before = await field.inputValue();
    for (const value of [...wrong, '']) {
      await field.fill(value);
      await page.getByTestId('settings-save').click();
      await page.locator(`[data-testid="${id}"][aria-invalid="true"]`).waitFor();
      assert.match(await page.locator(`#${id}-error`).innerText(), /\d.* to .*\d/, `${id} ${value}`);
    }
    await field.fill(before);
  }
  await save(page);
  await reload(page);
  await open(page);
  assert.deepEqual(await values(page, 'setting-round-limit'), ['24'], 'nothing of it was kept');
});

test('rules are added, ordered, removed, and kept in their order', async (t) => {
  const page = await start(t);
  await page.getByTestId('setting-approval').selectOption('writes');
  for (const [tool, target, action] of [['*', 'notes/*', 'deny'], ['write_file', 'drafts/*', 'allow'], ['', '', 'ask']]) {
    await page.getByTestId('approval-rule-add').click();
    await page.getByTestId('approval-rule-tool').last().fill(tool);
    await page.getByTestId('approval-rule-target').last().fill(target);
    await page.getByTestId('approval-rule-action').last().selectOption(action);
  }
  await page.getByTestId('approval-rule-up').nth(1).click();
  await save(page);
  await reload(page);
  await open(page);
  assert.deepEqual(await values(page, 'setting-approval'), ['writes']);
  assert.deepEqual(await values(page, 'approval-rule-tool'), ['write_file', '*', '*']);
  assert.deepEqual(await values(page, 'approval-rule-action'), ['allow', 'deny', 'ask']);
  await page.getByTestId('approval-rule-remove').first().click();
  await save(page);
  await open(page);
  assert.deepEqual(await values(page, 'approval-rule-target'), ['notes/*', '']);
});
