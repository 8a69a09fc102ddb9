// The same task of three rounds with one personality a family of providers, each of which
// refuses what the real one refuses: found out once, told, and never sent again.

import assert from 'node:assert/strict';
import { test } from './harness.mjs';
import { fillSetup, importFiles, openFile, reload, send, toolCards, waitAnswer, waitShown, waitStopped } from './app.mjs';
import { ANSWER, NOTES, startHost, THOUGHT } from './hosts.mjs';
import { personalities } from './personalities.mjs';

const TASK = 'Make a copy of notes.txt.';
const CARDS = ['read_file ok', 'write_file ok', 'list_dir ok', 'read_file ok'];

/** Keeps options with the endpoint, as the form would. */
async function setOptions(page, options) {
  await page.evaluate(async (options) => {
    const done = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const database = await done(indexedDB.open('tabloop'));
    const store = database.transaction('settings', 'readwrite').objectStore('settings');
    const [key] = await done(store.getAllKeys());
    const settings = JSON.parse(await done(store.get(key)));
    Object.assign(settings.profiles[0].options, options);
    await done(store.put(JSON.stringify(settings), key));
    database.close();
  }, options);
  await reload(page);
}

for (const personality of personalities) {
  const { name, options, refusals, wire } = personality;
  test(name, async (t) => {
    const host = await startHost(personality);
    t.closes(host);
    const page = await t.open();
    await fillSetup(page, host);
    await page.getByTestId('composer-input').waitFor();
    if (options) await setOptions(page, options);
    await importFiles(page, { 'notes.txt': NOTES });

    const toast = page.getByTestId('toast').filter({ hasText: 'refused' }).first();
    // It passes by itself, and comes only where something is refused at once.
    const told = toast.waitFor().then(() => toast.innerText()).catch(() => '');
    await send(page, TASK);
    await waitStopped(page, 'Completed');
    await waitAnswer(page, ANSWER);
    assert.deepEqual(await toolCards(page), CARDS);
    await openFile(page, 'copy.txt');
    await waitShown(page, NOTES);
    assert.deepEqual(host.faults, []);
    if (host.refusals.length > 0) assert.match(await told, /127\.0\.0\.1.* refused a part of the request/);

    // What was found out holds after a reload too.
    await reload(page);
    await send(page, 'And once more, please.');
    await waitStopped(page, 'Completed');
    assert.equal(host.refusals.length, refusals, host.refusals.join('\n'));
    assert.deepEqual(host.faults, []);
    if (wire.thought && refusals === 0) {
      const echoed = host.bodies.at(-1).messages.filter((message) => message[wire.thought] === THOUGHT);
      assert.equal(echoed.length, 6, 'thoughts go back to who had them');
    }
  });
}
