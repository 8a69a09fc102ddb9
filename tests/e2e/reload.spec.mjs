// A reload at any moment loses nothing that was shown as done.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, held, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import {
  continueRun, fileRow, importFiles, openFile, reload, send, setup, toolCards, waitAnswer, waitCutOff, waitShown, waitStopped, whenFirstIsDone,
} from './app.mjs';

test('reload in the middle of a run', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'kept.txt', content: 'safe and sound\n' })),
    calls(call('read_file', { path: 'kept.txt' })),
    held(text('I was about to say')),
    text('Now it is said.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Write a file and read it');
  await waitAnswer(page, 'I was about to say');
  assert.deepEqual(await toolCards(page), ['write_file ok', 'read_file ok']);

  await reload(page);
  await page.getByTestId('message-user').filter({ hasText: 'Write a file and read it' }).waitFor();
  assert.match(await waitCutOff(page), /round 3\b/);
  assert.deepEqual(await toolCards(page), ['write_file ok', 'read_file ok']);
  await openFile(page, 'kept.txt');
  await waitShown(page, 'safe and sound\n');

  await continueRun(page);
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'Now it is said.');
  assert.equal(endpoint.requests.length, 4);
  assert.deepEqual(endpoint.requests[3].body.messages, endpoint.requests[2].body.messages);
});

test('reload while tools are at work', async (t) => {
  const count = 400;
  const appends = Array.from({ length: count }, (_, n) => call('append_file', { path: 'log.txt', content: `entry-${n}.\n` }));
  const endpoint = await t.endpoint([
    calls(...appends),
    calls(call('read_file', { path: 'log.txt' })),
    text('That is the log.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await whenFirstIsDone(page, 'reload');
  const reloaded = page.waitForEvent('load');
  await send(page, 'Write the log');
  await reloaded;
  assert.match(await waitCutOff(page), /append_file/);
  const shown = Number(await page.evaluate(() => sessionStorage.getItem('done')));
  const done = (await toolCards(page)).filter((card) => card === 'append_file ok').length;
  assert.ok(shown > 0 && done >= shown && done < count, `${shown} calls were shown as done, ${done} are after the reload`);

  await continueRun(page);
  await waitStopped(page, 'Completed');
  const worked = lastResults(endpoint.requests[1].body).filter((result) => !/^Error:|interrupted/i.test(result)).length;
  const entries = lastResults(endpoint.requests[2].body)[0].match(/entry-\d+\./g);
  assert.deepEqual(entries, appends.slice(0, worked).map((_, n) => `entry-${n}.`));
});

test('reload after the end: conversation, files, folder and file that was imported are there', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'notes/made.txt', content: 'made by the agent\n' })),
    text('It is **made**.'),
    text('And you are welcome.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'brought.txt': 'brought by me\n' });
  await send(page, 'Make a note');
  await waitStopped(page, 'Completed');

  await reload(page);
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'It is made.');
  assert.deepEqual(await toolCards(page), ['write_file ok']);
  await fileRow(page, 'notes/made.txt').waitFor();
  await openFile(page, 'brought.txt');
  await waitShown(page, 'brought by me\n');

  await send(page, 'Thank you');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'And you are welcome.');
});
