// What assistive technology and small windows need: axe-core finds nothing on the key states, in
// light and dark; at 200% nothing is cut off; nothing moves for those who do not want it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { importFiles, openFile, send, setApproval, setup, waitStopped } from './app.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds, a line each. */
async function findings(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // A transition's colours are none that stay.
    await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => {})));
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
  });
}

const clean = async (page, state) => assert.deepEqual(await findings(page), [], state);

for (const colorScheme of ['light', 'dark']) {
  test(`axe-core finds nothing in the key states, ${colorScheme}`, async (t) => {
    const change = (path, content) => call('write_file', { path, content });
    const endpoint = await t.endpoint([
      calls(change('list.md', '# List\n\n- one\n'), call('todo', { items: [{ text: 'Write', state: 'done' }] })),
      text('Written: **list.md**, with `code` and a [link](https://example.com).'),
      calls(change('list.md', '# List\n\n- two\n')),
      text('Changed.'),
    ]);
    const page = await t.open({ colorScheme, reducedMotion: 'reduce' });
    await clean(page, 'first page');
    await setup(page, endpoint);
    await page.getByTestId('composer-attach').waitFor();
    await importFiles(page, { 'note.txt': 'a note\n' });
    await clean(page, 'empty session');
    await send(page, 'Write a list');
    await waitStopped(page, 'Completed');
    await clean(page, 'session with a run');
    await openFile(page, 'note.txt');
    await clean(page, 'files');
    await page.getByTestId('review-changes').click();
    await page.getByTestId('diff-file').first().waitFor();
    await clean(page, 'changes');
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('@');
    await page.locator('#composer-list').waitFor();
    await clean(page, 'list of files');
    await page.keyboard.press('Escape');
    await page.getByTestId('composer-input').fill('');
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByTestId('palette-input').waitFor();
    await clean(page, 'palette');
    await page.keyboard.press('Escape');
    await page.getByTestId('palette-input').waitFor({ state: 'detached' });
    await page.getByTestId('settings-open').click();
    await page.getByTestId('prompt-add').click();
    await page.getByTestId('prompt-name').waitFor();
    await clean(page, 'settings');
    await page.keyboard.press('Escape');
    await page.getByTestId('settings-save').waitFor({ state: 'hidden' });
    await setApproval(page, 'writes');
    await send(page, 'Change it');
    await page.getByTestId('approval-allow').waitFor();
    await clean(page, 'approval');
    await page.getByTestId('approval-allow').click();
    await waitStopped(page, 'Completed');
  });
}

test('at 200% of a window of 1280 nothing goes beyond its edges', async (t) => {
  const endpoint = await t.endpoint([text('Here it is: `averyveryverylongwordthatgoesonandonandonwithoutanyblankinit`.')]);
  const page = await t.open({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });
  await setup(page, endpoint);
  await page.getByTestId('composer-attach').waitFor();
  await send(page, 'Show it');
  await waitStopped(page, 'Completed');
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok((await wide()) <= 640, 'the conversation');
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByTestId('palette-input').waitFor();
  const box = await page.getByTestId('palette').boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 640 && box.y >= 0 && box.y + box.height <= 360, JSON.stringify(box));
  await page.keyboard.press('Escape');
  await page.getByTestId('palette-input').waitFor({ state: 'detached' });
  await page.getByTestId('tab-files').click();
  assert.ok((await wide()) <= 640, 'the files');
});

test('nothing moves where the system asks for less motion', async (t) => {
  const page = await t.open({ reducedMotion: 'reduce' });
  const moving = await page.evaluate(() => [...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element);
    return transitionDuration.split(',').some((time) => Number.parseFloat(time) > 0.01) || animationName !== 'none';
  }).map((element) => element.className));
  assert.deepEqual(moving, []);
});
