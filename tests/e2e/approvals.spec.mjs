// Calls that are asked about: what is shown, the four answers, and who may hear them.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, reload, send, setApproval, setup, toolCards, waitStopped } from './app.mjs';

const write = (path, content) => call('write_file', { path, content });

/** Opens the page with every write asked about. */
async function careful(t, endpoint) {
  const page = await t.open();
  await setup(page, endpoint);
  await setApproval(page, 'writes');
  return page;
}

const diff = (page, path) => page.locator(`[data-testid="diff-file"][data-path="${path}"]`);

test('the change is shown first, and made or not as the user says', async (t) => {
  const endpoint = await t.endpoint([
    calls(write('a.txt', 'one\ntwo\n'), write('b.txt', 'three\n')),
    text('One of them is written.'),
  ]);
  const page = await careful(t, endpoint);
  await send(page, 'Write both');
  await diff(page, 'a.txt').filter({ hasText: 'two' }).waitFor();
  assert.equal(await diff(page, 'a.txt').getAttribute('data-kind'), 'new');
  assert.deepEqual(await toolCards(page), ['write_file waiting', 'write_file waiting']);
  assert.equal(await fileRow(page, 'a.txt').count(), 0);
  await page.getByTestId('approval-allow').click();
  await fileRow(page, 'a.txt').waitFor();

  await diff(page, 'b.txt').waitFor();
  await page.getByTestId('approval-word').fill('not this one');
  await page.getByTestId('approval-deny').click();
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), ['write_file ok', 'write_file denied']);
  assert.equal(await fileRow(page, 'b.txt').count(), 0);
  assert.match(lastResults(endpoint.requests[1].body)[1], /not this one/);
});

test('a key answers, and what holds for the session or for ever is not asked again', async (t) => {
  const rounds = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2'].map((path) => calls(write(`${path}.txt`, 'x\n')));
  const endpoint = await t.endpoint([...rounds, text('Written.')]);
  const page = await careful(t, endpoint);
  await send(page, 'Write them');
  await diff(page, 'a/1.txt').waitFor();
  await page.keyboard.press('a');
  await diff(page, 'a/2.txt').waitFor();
  await page.keyboard.press('s');
  await diff(page, 'b/1.txt').waitFor();
  await page.keyboard.press('l');
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), Array(5).fill('write_file ok'));
  await page.getByTestId('settings-open').click();
  assert.equal(await page.getByTestId('approval-rule').count(), 1);
});

test('letters typed into a field answer nothing', async (t) => {
  const endpoint = await t.endpoint([calls(write('a.txt', 'x\n')), text('Not written.')]);
  const page = await careful(t, endpoint);
  await send(page, 'Write it');
  await page.getByTestId('approval-word').click();
  await page.keyboard.type('also ask me last');
  assert.equal(await page.getByTestId('approval-card').count(), 1);
  await page.keyboard.press('Enter');
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[1].body)[0], /also ask me last/);
});

test('an approval that was open comes back after a reload', async (t) => {
  const endpoint = await t.endpoint([calls(write('a.txt', 'x\n')), text('Written.')]);
  const page = await careful(t, endpoint);
  await send(page, 'Write it');
  await diff(page, 'a.txt').waitFor();
  await reload(page);
  await diff(page, 'a.txt').waitFor();
  await page.getByTestId('approval-allow').click();
  await waitStopped(page, 'Completed');
  await fileRow(page, 'a.txt').waitFor();
});

test('sub-agents ask in the place of the run they work for, one after the other', async (t) => {
  const endpoint = await t.endpoint(({ body }) => {
    const all = JSON.stringify(body.messages);
    const isDone = body.messages.at(-1).role === 'tool';
    if (all.includes('Have both done')) {
      return isDone ? text('Both are done.') : calls(call('task', { prompt: 'Do part one' }), call('task', { prompt: 'Do part two' }));
    }
    return isDone ? text('My part is done.') : calls(write(all.includes('part one') ? 'one.txt' : 'two.txt', 'x\n'));
  });
  const page = await careful(t, endpoint);
  t.sent.push('Do part one', 'Do part two');
  await send(page, 'Have both done');
  await until('both ask', async () => /2/.test(await page.getByTestId('question-count').innerText()));
  assert.equal(await page.getByTestId('session-row').count(), 1);
  await page.getByTestId('approval-allow').click();
  await until('one is left', async () => (await page.getByTestId('question-count').innerText()) === '');
  await page.getByTestId('approval-allow').click();
  await waitStopped(page, 'Completed');
  for (const path of ['one.txt', 'two.txt']) await fileRow(page, path).waitFor();

  await reload(page);
  assert.deepEqual(await toolCards(page), ['task ok', 'task ok']);
  await page.getByTestId('tool-toggle').first().click();
  await page.getByTestId('sub-agent').filter({ hasText: 'My part is done.' }).waitFor();
});
