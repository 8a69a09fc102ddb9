// Stop at any moment, and go on with a request that is in order.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { send, setup, toolCards, waitAnswer, waitStopped, whenFirstIsDone } from './app.mjs';

const stop = (page) => page.getByTestId('composer-stop').click();

test('Stop in the middle of an answer, then a further message', async (t) => {
  const endpoint = await t.endpoint([held(text('Once upon a time there was')), text('Another story.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Tell me a story');
  await waitAnswer(page, 'Once upon a time there was');
  await stop(page);
  await waitStopped(page, 'Cancelled');
  await until('the connection is closed', () => endpoint.requests[0].aborted);
  await page.getByText('Once upon a time there was').waitFor();

  await send(page, 'Another one');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'Another story.');
});

test('Stop while a call is being written: it is never run', async (t) => {
  const endpoint = await t.endpoint([held(calls(call('write_file', '{"path": "half.txt", "content": "half'))), text('Nothing was written.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Write a file');
  await endpoint.arrived(1);
  await page.getByText('write_file').first().waitFor();
  await stop(page);
  await waitStopped(page, 'Cancelled');
  assert.equal(await page.locator('[data-testid="file-row"][data-path="half.txt"]').count(), 0);

  await send(page, 'What was written?');
  await waitStopped(page, 'Completed');
});

const CALLS = 400;
const APPENDS = Array.from({ length: CALLS }, (_, n) => call('append_file', { path: 'log.txt', content: `entry-${n}.\n` }));

test('Stop while tools are at work: what is shown as done is done, and nothing else', async (t) => {
  const endpoint = await t.endpoint([
    calls(...APPENDS),
    calls(call('read_file', { path: 'log.txt' })),
    text('That is the log.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await whenFirstIsDone(page, 'stop');
  await send(page, 'Write the log');
  await waitStopped(page, 'Cancelled');
  const done = (await toolCards(page)).filter((card) => card === 'append_file ok').length;
  assert.ok(done > 0 && done < CALLS, `${done} of ${CALLS} calls were done when it stopped`);

  await send(page, 'Show me the log');
  await waitStopped(page, 'Completed');
  const told = lastResults(endpoint.requests[1].body);
  assert.equal(told.length, CALLS);
  assert.equal(told.filter((result) => !/interrupted/i.test(result)).length, done);
  const entries = lastResults(endpoint.requests[2].body)[0].match(/entry-\d+\./g);
  assert.deepEqual(entries, APPENDS.slice(0, done).map((_, n) => `entry-${n}.`));
});
