// What a user does about keys that are kept on the device, and sees there.

import { until } from './harness.mjs';

/** Passphrases no other text can hold by chance. */
export const PASSPHRASE = 'Vq3 lantern-ocelot 九月 xT';
export const OTHER_PASSPHRASE = 'Hb8 quarry-sextant 十一 pW';

/** Opens the settings' part about keys, from wherever the page is. */
export async function openKeys(page) {
  if (!(await page.getByTestId('keys-state').isVisible())) {
    const tab = page.getByTestId('tab-sessions');
    if (await tab.isVisible()) await tab.click();
    await page.getByTestId('settings-open').click();
  }
  await page.getByTestId('keys-state').scrollIntoViewIfNeeded();
}

/** Closes the settings. */
export async function closeSettings(page) {
  await page.keyboard.press('Escape');
  await page.getByTestId('keys-state').waitFor({ state: 'detached' });
  const tab = page.getByTestId('tab-chat');
  if (await tab.isVisible()) await tab.click();
}

/** Waits until the open settings say that the keys are so. */
export const waitKeys = (page, state) =>
  until(`the keys are ${state}`, async () => (await page.getByTestId('keys-state').getAttribute('data-state')) === state);

/** Types a new passphrase, the second time as `again`, and sends it. */
export async function typeNew(page, passphrase, again = passphrase) {
  await page.getByTestId('keys-new').fill(passphrase);
  await page.getByTestId('keys-again').fill(again);
  await page.getByTestId('keys-save').click();
}

/** Has the keys kept on the device, and closes the settings. */
export async function keepKeys(page, passphrase = PASSPHRASE) {
  await openKeys(page);
  await page.getByTestId('keys-keep').click();
  await typeNew(page, passphrase);
  await waitKeys(page, 'open');
  await closeSettings(page);
}

/** Locks them, and closes the settings. */
export async function lockKeys(page) {
  await openKeys(page);
  await page.getByTestId('keys-lock').click();
  await waitKeys(page, 'locked');
  await closeSettings(page);
}

/** Gives another passphrase, and closes the settings. */
export async function changePassphrase(page, old, passphrase) {
  await openKeys(page);
  await page.getByTestId('keys-change').click();
  await page.getByTestId('keys-old').fill(old);
  await typeNew(page, passphrase);
  await page.getByTestId('keys-new').waitFor({ state: 'detached' });
  await closeSettings(page);
}

/** Forgets all keys, and closes the settings. */
export async function forgetKeys(page) {
  await openKeys(page);
  await page.getByTestId('keys-forget').click();
  await page.getByTestId('keys-forget-yes').click();
  await waitKeys(page, 'none');
  await closeSettings(page);
}

/** Types a passphrase over the composer. */
export async function tryUnlock(page, passphrase) {
  await page.getByTestId('unlock-passphrase').fill(passphrase);
  await page.getByTestId('unlock').click();
}

/** Unlocks the keys over the composer. */
export async function unlockKeys(page, passphrase = PASSPHRASE) {
  await tryUnlock(page, passphrase);
  await page.getByTestId('unlock-card').waitFor({ state: 'detached' });
}
