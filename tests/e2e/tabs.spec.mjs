// Two tabs on one workspace: one writes, the other follows live and may take over at any time.

import assert from 'node:assert/strict';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import {
  continueRun, fileRow, importFiles, openFile, reload, send, setup, startDemo, toolCards, waitAnswer, waitStopped,
} from './app.mjs';

const TASK = 'Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md';
const FOR_EVER = 'Keep listing the files for ever (runaway demo)';

const banner = (page) => page.getByTestId('notice-read-only');
const rounds = (page) => page.getByTestId('round-card').count();
const editor = (page) => page.getByTestId('file-viewer').locator('.cm-content');

/** Presses "Take over", and waits until the tab writes. */
async function takeOver(page) {
  await page.getByTestId('take-over').click();
  await banner(page).waitFor({ state: 'hidden' });
}

/** All that is said in the conversation. */
const said = (page) => page.evaluate(() => [...document.querySelectorAll(
  '[data-testid="message-user"], [data-testid="message-assistant"], [data-testid="tool-card"], [data-testid="stop-reason"]',
)].map(({ dataset, textContent }) => dataset.tool ?? dataset.reason ?? textContent));

test('the second tab is read-only and told, and takes over when the first closes', async (t) => {
  const first = await t.open();
  await startDemo(first);
  await send(first, TASK);
  await waitStopped(first, 'Completed');

  const second = await t.openBeside(first);
  await banner(second).waitFor();
  await fileRow(second, 'todo-list.md').waitFor();
  await second.getByTestId('message-user').filter({ hasText: TASK }).waitFor();
  const input = second.getByTestId('composer-input');
  if (await input.isEnabled()) await input.fill('Let me write');
  assert.ok(await second.getByTestId('composer-send').isDisabled(), 'nothing can be sent');
  assert.equal(await banner(first).count(), 0);

  await first.close();
  await banner(second).waitFor({ state: 'hidden' });
  await send(second, TASK);
  await waitStopped(second, 'Completed');
});

test('the second tab takes over when the first dies in the middle of a run', async (t) => {
  const first = await t.open();
  await startDemo(first);
  await send(first, FOR_EVER);
  await first.getByTestId('tool-card').first().waitFor();
  const second = await t.openBeside(first);
  await first.close();
  await banner(second).waitFor({ state: 'hidden' });
  await until('the composer can be used', () => second.getByTestId('composer-input').isEnabled());
  await send(second, TASK);
  await waitStopped(second, 'Completed');
});

test('a follower shows files, sessions and each round of a run as they come', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'one.md', content: 'one' })),
    calls(call('write_file', { path: 'two.md', content: 'two' })),
    held(text('Both are written.')),
  ]);
  const first = await t.open();
  await setup(first, { baseUrl: endpoint.baseUrl, key: '' });
  const second = await t.openBeside(first);
  await banner(second).waitFor();
  await importFiles(first, { 'by-hand.md': 'mine' });
  await fileRow(second, 'by-hand.md').waitFor();

  await send(first, 'Write two files');
  await second.getByTestId('session-row').click();
  await second.getByTestId('message-user').filter({ hasText: 'Write two files' }).waitFor();
  await until('two rounds are shown', async () => (await rounds(second)) >= 2);
  await fileRow(second, 'two.md').waitFor();
  assert.equal(await second.getByTestId('composer-stop').count(), 0, 'there is nothing to stop here');
  await openFile(second, 'one.md');
  await second.getByTestId('file-viewer').filter({ hasText: 'one' }).waitFor();
  await endpoint.arrived(3);
  endpoint.release();
  await waitStopped(first, 'Completed');
  await waitAnswer(second, 'Both are written.');
  await second.getByTestId('stop-reason').waitFor();
  assert.deepEqual(await said(second), await said(first));
});

test('taken over in the middle of a run: it stops there, is resumed here, and no call runs twice', async (t) => {
  const append = (text) => calls(call('append_file', { path: 'log.md', content: text }));
  const endpoint = await t.endpoint([append('1'), append('2'), held(append('lost')), append('3'), text('Done.')]);
  const first = await t.open();
  await setup(first, { baseUrl: endpoint.baseUrl, key: '' });
  await first.getByTestId('composer-input').fill('');
  await send(first, 'Count');
  await endpoint.arrived(3);
  await until('two calls are done', async () => (await toolCards(first)).filter((card) => card === 'append_file ok').length === 2);
  await first.getByTestId('composer-input').fill('half a thought');

  const second = await t.openBeside(first);
  await banner(second).filter({ hasText: 'A run is going on there' }).waitFor();
  await takeOver(second);
  await banner(first).filter({ hasText: 'has taken over' }).waitFor();
  assert.equal(await first.getByTestId('composer-input').inputValue(), 'half a thought');
  await second.getByTestId('resume-card').waitFor();
  await continueRun(second);
  await waitStopped(second, 'Completed');
  assert.equal(endpoint.requests.length, 5);
  await openFile(second, 'log.md');
  await second.getByTestId('file-viewer').filter({ hasText: '123' }).waitFor();

  // And the former writer has followed.
  await waitAnswer(first, 'Done.');
  await until('both show the same', async () => JSON.stringify(await said(first)) === JSON.stringify(await said(second)));
  await takeOver(first);
  await banner(second).filter({ hasText: 'has taken over' }).waitFor();
  await importFiles(first, { 'back.md': 'again' });
  await fileRow(second, 'back.md').waitFor();
});

test('a writer that is frozen is taken over, and changes nothing when it wakes up', async (t) => {
  const site = await t.serveWith('worker.js', `
    new BroadcastChannel('freeze').onmessage = ({ data }) => { const end = Date.now() + data; while (Date.now() < end); };
  `);
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'one.md', content: 'one' })),
    held(calls(call('write_file', { path: 'late.md', content: 'late' }))),
    text('Never mind.'),
  ]);
  const first = await t.open({ url: site.url });
  await setup(first, { baseUrl: endpoint.baseUrl, key: '' });
  await send(first, 'Write');
  await fileRow(first, 'one.md').waitFor();
  await endpoint.arrived(2);
  // What it saved is saved: a transaction that is frozen would hold up everybody.
  await first.waitForTimeout(500);
  await first.evaluate(() => { new BroadcastChannel('freeze').postMessage(9000); });
  endpoint.release();
  const second = await t.openBeside(first);
  await takeOver(second);
  await importFiles(second, { 'mine.md': 'mine' });
  assert.equal(await banner(first).count(), 0, 'it knows of nothing yet');
  await banner(first).filter({ hasText: 'has taken over' }).waitFor();
  await fileRow(first, 'mine.md').waitFor();
  for (const page of [first, second]) assert.equal(await fileRow(page, 'late.md').count(), 0);
  await reload(second);
  await fileRow(second, 'mine.md').waitFor();
  await fileRow(second, 'one.md').waitFor();
});

test('unsaved text stays in the editor when another tab takes over, and is saved after taking back', async (t) => {
  const first = await t.open();
  await startDemo(first);
  await importFiles(first, { 'a.md': 'alpha\n' });
  await openFile(first, 'a.md');
  await first.getByTestId('file-edit').click();
  await editor(first).waitFor();
  await editor(first).press('ControlOrMeta+Home');
  await first.keyboard.type('more ');
  const second = await t.openBeside(first);
  await takeOver(second);
  await banner(first).filter({ hasText: 'has taken over' }).waitFor();
  await editor(first).filter({ hasText: 'more alpha' }).waitFor();
  assert.ok(await first.getByTestId('file-save').isDisabled());
  await takeOver(first);
  await editor(first).press('ControlOrMeta+s');
  await first.locator('[data-testid=file-save][data-unsaved=false]').waitFor();
  await openFile(second, 'a.md');
  await second.getByTestId('file-viewer').filter({ hasText: 'more alpha' }).waitFor();
});

test('two tabs that write at once lose nothing of what they showed as done', async (t) => {
  const first = await t.open();
  await startDemo(first);
  const second = await t.openBeside(first);
  await banner(second).waitFor();
  const done = new Set();
  let [writer, other] = [first, second];
  for (let n = 0; n < 4; n += 1) {
    await send(writer, FOR_EVER);
    await writer.getByTestId('tool-card').last().waitFor();
    // The one imports by force while the other takes over, and imports too.
    const late = writer.getByTestId('import-input').setInputFiles([{ name: `late-${n}.md`, mimeType: 'text/plain', buffer: Buffer.from('late') }]);
    await Promise.all([late.catch(() => {}), takeOver(other)]);
    await importFiles(other, { [`mine-${n}.md`]: 'mine' });
    done.add(`mine-${n}.md`);
    if (await fileRow(other, `late-${n}.md`).count() > 0) done.add(`late-${n}.md`);
    await banner(writer).waitFor();
    [writer, other] = [other, writer];
  }
  for (const page of [first, second]) for (const path of done) await fileRow(page, path).waitFor();
  await reload(writer);
  for (const path of done) await fileRow(writer, path).waitFor();
});
