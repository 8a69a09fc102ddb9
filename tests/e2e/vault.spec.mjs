// Keys kept on the device under a passphrase: what the user sees, and what waits for it.

import assert from 'node:assert/strict';
import { call, calls, held, text } from './endpoint.mjs';
import { ready, test, until } from './harness.mjs';
import { continueRun, KEY, reload, send, setApproval, setup, waitCutOff, waitStopped } from './app.mjs';
import {
  changePassphrase, closeSettings, forgetKeys, keepKeys, lockKeys, openKeys, OTHER_PASSPHRASE, PASSPHRASE, tryUnlock,
  typeNew, unlockKeys, waitKeys,
} from './keys.mjs';

async function kept(t, replies, options) {
  const endpoint = await t.endpoint(replies);
  const page = await t.open(options);
  await setup(page, endpoint);
  await keepKeys(page);
  return { endpoint, page };
}

/** Opens the page in a new tab, as on the next day. */
async function nextDay(t, page) {
  const next = await page.context().newPage();
  await page.close();
  next.setDefaultTimeout(15_000);
  await next.goto(page.url());
  await ready(next);
  return next;
}

const keysSent = (endpoint) => endpoint.requests.map(({ headers }) => headers.authorization);

test('kept keys are locked in another tab, and the status says so', async (t) => {
  const { endpoint, page } = await kept(t, [text('Hello.')]);
  const next = await nextDay(t, page);
  await next.getByTestId('unlock-card').waitFor();
  assert.match(await next.getByTestId('connection-status').innerText(), /Keys locked/);
  await next.getByTestId('connection-status').click();
  await until('the field has the focus', () => next.evaluate(() => document.activeElement.id === 'unlock-passphrase'));

  await tryUnlock(next, `${PASSPHRASE} `);
  const told = await next.getByTestId('unlock-passphrase-error').innerText();
  assert.match(told, /not the passphrase/);
  assert.equal(await next.getByTestId('unlock-passphrase').inputValue(), '');
  assert.equal(await next.evaluate(() => document.activeElement.id), 'unlock-passphrase', 'one can type again at once');
  // As often as one likes.
  for (let n = 0; n < 3; n += 1) await tryUnlock(next, `${n}`);
  await next.getByTestId('unlock-passphrase-error').waitFor();
  await unlockKeys(next);
  assert.doesNotMatch(await next.getByTestId('connection-status').innerText(), /locked/);
  await send(next, 'Hello');
  await waitStopped(next, 'Completed');
  assert.deepEqual(keysSent(endpoint), [`Bearer ${KEY}`]);
});

test('a task that finds the keys locked is sent once they are unlocked', async (t) => {
  const { endpoint, page } = await kept(t, [text('Hello.')]);
  await reload(page);
  await page.getByTestId('composer-input').fill('Say hello');
  t.sent.push('Say hello');
  await page.keyboard.press('Enter');
  await until('the passphrase is asked for', () => page.evaluate(() => document.activeElement.id === 'unlock-passphrase'));
  assert.match(await page.getByTestId('unlock-card').innerText(), /the task is sent/);
  assert.equal(await page.getByTestId('composer-input').inputValue(), 'Say hello', 'the task stays');
  assert.equal(endpoint.requests.length, 0);
  await page.keyboard.type(PASSPHRASE);
  await page.keyboard.press('Enter');
  await waitStopped(page, 'Completed');
  assert.equal(await page.getByTestId('composer-input').inputValue(), '');
  assert.equal(endpoint.requests.length, 1);
});

test('a run that was cut off waits for the keys, and goes on where it was', async (t) => {
  const { endpoint, page } = await kept(t, [
    calls(call('write_file', { path: 'a.md', content: 'x' })), held(text('Writ')), text('Written.'),
  ]);
  await send(page, 'Write it');
  await endpoint.arrived(2);
  const next = await nextDay(t, page);
  assert.match(await waitCutOff(next), /interrupted|cut off|round/i);
  await continueRun(next);
  await until('the passphrase is asked for', () => next.evaluate(() => document.activeElement.id === 'unlock-passphrase'));
  assert.match(await next.getByTestId('unlock-card').innerText(), /the run goes on/);
  await tryUnlock(next, 'not this one');
  await next.getByTestId('unlock-passphrase-error').waitFor();
  await unlockKeys(next);
  await waitStopped(next, 'Completed');
  assert.equal(endpoint.requests.length, 3);
  assert.equal(await next.getByTestId('message-user').count(), 1);
});

test('a question that was open is asked again with the keys', async (t) => {
  const { page } = await kept(t, [calls(call('write_file', { path: 'a.md', content: 'x' })), text('Written.')]);
  await setApproval(page, 'writes');
  await send(page, 'Write it');
  await page.getByTestId('approval-allow').waitFor();
  const next = await nextDay(t, page);
  await unlockKeys(next);
  await next.getByTestId('approval-allow').click();
  await waitStopped(next, 'Completed');
});

test('a run under way keeps its key when the keys are locked', async (t) => {
  const { endpoint, page } = await kept(t, [held(calls(call('list_dir', {}))), text('Seen.'), text('Again.')]);
  await send(page, 'Look');
  await endpoint.arrived(1);
  await lockKeys(page);
  endpoint.release();
  await waitStopped(page, 'Completed');
  assert.deepEqual(keysSent(endpoint), Array(2).fill(`Bearer ${KEY}`));
  await page.getByTestId('unlock-card').waitFor();
});

test('an endpoint can be changed while its key is locked', async (t) => {
  const { endpoint, page } = await kept(t, [text('Hello.')]);
  await reload(page);
  await openKeys(page);
  assert.match(await page.getByTestId('endpoint-row').innerText(), /Keys locked/);
  await page.getByTestId('endpoint-edit').click();
  assert.match(await page.locator('#setup-api-key-hint').innerText(), /is locked/);
  await page.getByTestId('setup-model').fill('another-model');
  await page.getByTestId('setup-save').click();
  await page.getByTestId('setup-save').waitFor({ state: 'hidden' });
  assert.match(await page.getByTestId('endpoint-row').innerText(), /another-model.*Keys locked/s);
  await closeSettings(page);
  await unlockKeys(page);
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
  assert.deepEqual(keysSent(endpoint), [`Bearer ${KEY}`]);
  assert.equal(endpoint.requests[0].body.model, 'another-model');
});

test('a new passphrase is typed twice, is long enough, and its strength is told', async (t) => {
  const endpoint = await t.endpoint([]);
  const page = await t.open();
  await setup(page, endpoint);
  await openKeys(page);
  assert.match(await page.getByTestId('keys-state').innerText(), /this tab only/);
  await page.getByTestId('keys-keep').click();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'keys-new');
  const hint = page.locator('#keys-new-hint');
  for (const [typed, told] of [
    ['seven77', /at least 1 more/], ['password1', /Weak/], ['sunshine-rain', /Fair/],
    ['sunshine-rain ', /space at its beginning or end counts/], [PASSPHRASE, /Strong/],
  ]) {
    await page.getByTestId('keys-new').fill(typed);
    await until(`${typed} is judged`, async () => told.test(await hint.innerText()));
  }
  await typeNew(page, 'seven77');
  assert.match(await page.getByTestId('keys-new-error').innerText(), /8 characters/);
  await typeNew(page, PASSPHRASE, `${PASSPHRASE} `);
  assert.match(await page.getByTestId('keys-again-error').innerText(), /not the same/);
  assert.equal(await page.getByTestId('keys-state').getAttribute('data-state'), 'none');
  await typeNew(page, PASSPHRASE);
  await waitKeys(page, 'open');
  await page.getByTestId('keys-new').waitFor({ state: 'detached' });
});

test('the passphrase is changed by whoever knows it, and the keys can be forgotten', async (t) => {
  const { page } = await kept(t, []);
  await openKeys(page);
  await page.getByTestId('keys-change').click();
  await page.getByTestId('keys-old').fill('not this one');
  await typeNew(page, OTHER_PASSPHRASE);
  assert.match(await page.getByTestId('keys-old-error').innerText(), /not the passphrase/);
  await page.getByTestId('keys-cancel').click();
  await closeSettings(page);
  await changePassphrase(page, PASSPHRASE, OTHER_PASSPHRASE);
  await reload(page);
  await tryUnlock(page, PASSPHRASE);
  await page.getByTestId('unlock-passphrase-error').waitFor();
  // Whoever has forgotten it finds the way out.
  await page.getByTestId('unlock-forgotten').click();
  await page.getByTestId('keys-forget').click();
  assert.match(await page.getByTestId('keys-state').innerText(), /Forget the keys of all endpoints\?/);
  await page.getByTestId('keys-forget-no').click();
  await waitKeys(page, 'locked');
  await forgetKeys(page);
  await page.getByTestId('notice-key').waitFor();
  await reload(page);
  await page.getByTestId('notice-key').waitFor();
  assert.equal(await page.getByTestId('unlock-card').count(), 0);
});

test('damaged keys are told, and can be forgotten', async (t) => {
  const { page } = await kept(t, []);
  await page.evaluate(async () => {
    const database = await new Promise((done) => {
      const request = indexedDB.open('tabloop');
      request.onsuccess = () => done(request.result);
    });
    const vault = database.transaction('vault', 'readwrite').objectStore('vault');
    const row = JSON.parse(await new Promise((done) => {
      const request = vault.get(['keys']);
      request.onsuccess = () => done(request.result);
    }));
    row.sealed[20] ^= 1;
    await new Promise((done) => { vault.put(JSON.stringify(row), ['keys']).onsuccess = done; });
    database.close();
  });
  await reload(page);
  await openKeys(page);
  await waitKeys(page, 'damaged');
  assert.match(await page.getByTestId('keys-state').innerText(), /can't be read/);
  await forgetKeys(page);
});

test('where the browser offers no cryptography it is not offered, and why is told', async (t) => {
  const endpoint = await t.endpoint([text('Hello.')]);
  const site = await t.serveWith('worker.js', 'Object.defineProperty(crypto, "subtle", { value: undefined });\n');
  const page = await t.open({ url: site.url });
  await setup(page, endpoint);
  await openKeys(page);
  await waitKeys(page, 'unavailable');
  assert.match(await page.getByTestId('keys-state').innerText(), /https:\/\//);
  assert.equal(await page.getByTestId('keys-keep').count(), 0);
  await closeSettings(page);
  await send(page, 'Hello');
  await waitStopped(page, 'Completed');
});

test('at 360 px the fields and buttons are in reach', async (t) => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  const { page } = await kept(t, [], phone);
  const inReach = async (...ids) => {
    for (const id of ids) {
      await page.getByTestId(id).scrollIntoViewIfNeeded();
      const { x, width, height } = await page.getByTestId(id).boundingBox();
      assert.ok(x >= 0 && x + width <= 360, `${id} lies in the window`);
      assert.ok(height >= 40, `${id} is ${height} px high`);
    }
  };
  await openKeys(page);
  await inReach('keys-lock', 'keys-change', 'keys-forget');
  await page.getByTestId('keys-change').tap();
  await inReach('keys-old', 'keys-new', 'keys-again', 'keys-save', 'keys-cancel');
  await page.getByTestId('keys-cancel').tap();
  await page.getByTestId('keys-lock').tap();
  await waitKeys(page, 'locked');
  await inReach('keys-unlock-passphrase', 'keys-unlock');
  await closeSettings(page);
  await inReach('unlock-passphrase', 'unlock', 'unlock-forgotten', 'composer-input');
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.scrollingElement.scrollWidth, client: document.scrollingElement.clientWidth,
  }));
  assert.ok(scroll <= client, 'nothing to scroll sideways');
});

test('the keys are kept, locked and unlocked with the keyboard alone', async (t) => {
  const endpoint = await t.endpoint([text('Hello.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await openKeys(page);
  const focused = (id) => until(`${id} has the focus`, () => page.evaluate((id) => document.activeElement.id === id, id));
  await page.getByTestId('keys-keep').focus();
  await page.keyboard.press('Enter');
  await focused('keys-new');
  await page.keyboard.type(PASSPHRASE);
  await page.keyboard.press('Tab');
  await focused('keys-again');
  await page.keyboard.type(PASSPHRASE);
  await page.keyboard.press('Enter');
  await waitKeys(page, 'open');
  await focused('settings-keys');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), 'keys-lock');
  await page.keyboard.press('Enter');
  await waitKeys(page, 'locked');
  await focused('settings-keys');
  await page.keyboard.press('Tab');
  await focused('keys-unlock-passphrase');
  await page.keyboard.type(PASSPHRASE);
  await page.keyboard.press('Enter');
  await waitKeys(page, 'open');
});
