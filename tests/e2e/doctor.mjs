// What the doctor reports, as the user sees it.

import assert from 'node:assert/strict';
import { KEY } from './app.mjs';
import { until } from './harness.mjs';

export const report = (page) => page.getByTestId('doctor-report');

/** Waits until the doctor is through, and gives back the cause it names and its text. */
export async function examined(page, timeout) {
  const { cause } = await until('the doctor is through', async () => {
    const { state, cause } = await report(page).evaluate(({ dataset }) => dataset).catch(() => ({}));
    return state && state !== 'running' ? { state, cause } : null;
  }, timeout);
  const text = await report(page).innerText();
  assert.doesNotMatch(text, /undefined|null|NaN|\{\w+\}/, 'plain words only');
  assert.ok(!text.includes(KEY), 'the key is not told');
  return { cause, text };
}

/** Waits until the doctor is through, and checks what it names. */
export async function isNamed(page, expected) {
  // What was named before may still stand there for a moment.
  await until(`${expected} is named`, () => report(page).evaluate(({ dataset }, expected) => dataset.cause === expected, expected).catch(() => false))
    .catch(() => {});
  const { cause, text } = await examined(page);
  assert.equal(cause, expected, text);
  return text;
}

/** Each line as `fine Reach the host`. */
export const lines = (page) => report(page).locator('li').evaluateAll((all) => all
  .map((line) => [line.querySelector('.doctor__verdict'), line.querySelector('.doctor__probe')])
  .filter(([verdict]) => verdict)
  .map((parts) => parts.map((part) => part.textContent).join(' ')));
