// Two tabs on one workspace: one writes, the other looks on until it may take over.

import assert from 'node:assert/strict';
import { test, until } from './harness.mjs';
import { fileRow, send, startDemo, waitStopped } from './app.mjs';

const TASK = 'Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md';

test('the second tab is read-only and told, and takes over when the first closes', async (t) => {
  const first = await t.open();
  await startDemo(first);
  await send(first, TASK);
  await waitStopped(first, 'Completed');

  const second = await t.openBeside(first);
  const notice = second.getByTestId('notice-read-only');
  await notice.waitFor();
  await fileRow(second, 'todo-list.md').waitFor();
  await second.getByTestId('message-user').filter({ hasText: TASK }).waitFor();
  const input = second.getByTestId('composer-input');
  if (await input.isEnabled()) await input.fill('Let me write');
  assert.ok(await second.getByTestId('composer-send').isDisabled(), 'nothing can be sent');
  assert.equal(await first.getByTestId('notice-read-only').count(), 0);

  await first.close();
  await notice.waitFor({ state: 'hidden' });
  await send(second, TASK);
  await waitStopped(second, 'Completed');
});

test('the second tab takes over when the first dies in the middle of a run', async (t) => {
  const first = await t.open();
  await startDemo(first);
  await send(first, 'Keep listing the files for ever (runaway demo)');
  await first.getByTestId('tool-card').first().waitFor();
  const second = await t.openBeside(first);
  await first.close();
  await second.getByTestId('notice-read-only').waitFor({ state: 'hidden' });
  await until('the composer can be used', () => second.getByTestId('composer-input').isEnabled());
  await send(second, TASK);
  await waitStopped(second, 'Completed');
});
