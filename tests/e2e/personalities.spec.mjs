// The same task of three rounds with one personality a family of providers, each of which
// refuses what the real one refuses: found out once, told, and never sent again.

import assert from 'node:assert/strict';
import { test } from './harness.mjs';
import { importFiles, openFile, reload, send, setup, toolCards, waitAnswer, waitShown, waitStopped } from './app.mjs';
import { ANSWER, NOTES, startHost, THOUGHT } from './hosts.mjs';
import { personalities } from './personalities.mjs';

const TASK = 'Make a copy of notes.txt.';
const CARDS = ['read_file ok', 'write_file ok', 'list_dir ok', 'read_file ok'];

const TEXTS = {
  temperature: 'temperature', top_p: 'top-p', max_tokens: 'max-tokens', effort: 'effort',
  key_header: 'key-header', headers: 'headers', extra_body: 'extra-body',
};
const TICKS = { delivery: 'whole', text_calls: 'text-calls' };

/** Sets options in the form. */
async function fillOptions(page, options) {
  await page.getByTestId('setup-more').click();
  for (const [name, value] of Object.entries(options)) {
    if (name in TICKS) await page.getByTestId(`option-${TICKS[name]}`).check();
    else await page.getByTestId(`option-${TEXTS[name]}`).fill(value);
  }
}

for (const personality of personalities) {
  const { name, options, refusals, wire } = personality;
  test(name, async (t) => {
    const host = await startHost(personality);
    t.closes(host);
    const page = await t.open();
    if (options) await fillOptions(page, options);
    await setup(page, host);
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
