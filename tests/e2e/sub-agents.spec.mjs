// Sub-agents: several at once, seen while they work and afterwards, stopped with their parent.

import assert from 'node:assert/strict';
import { lastResults, task } from './conversation.mjs';
import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { continueRun, reload, send, setup, toolCards, waitAnswer, waitStopped } from './app.mjs';

const PARTS = ['one', 'two', 'three'];

/** The part that a request of a sub-agent is about; nothing in the parent's. */
const partOf = ({ body }) => task(body.messages).match(/^Do part (\w+)$/)?.[1];

const isFirst = ({ body }) => !body.messages.some(({ role }) => role === 'assistant');

/** Three sub-agents, each of which writes a file; `second` is what each says then. */
function script(second) {
  return (request) => {
    const part = partOf(request);
    if (!part && isFirst(request)) return calls(...PARTS.map((name) => call('task', { prompt: `Do part ${name}` })));
    if (!part) return text('All parts are done.');
    return isFirst(request) ? calls(call('append_file', { path: `${part}.txt`, content: 'x\n' })) : second(part);
  };
}

async function start(t, second) {
  t.sent.push(...PARTS.map((name) => `Do part ${name}`));
  const endpoint = await t.endpoint(script(second));
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Have it done');
  // All three are in their second rounds, none has ended.
  await endpoint.arrived(7);
  assert.equal(endpoint.requests.filter(partOf).length, 6);
  return { page, endpoint };
}

const taskCard = (page, n) => page.locator('[data-testid="tool-card"][data-tool="task"]').nth(n);

/** Unfolds the card of each sub-agent, and waits until its rounds say what they should. */
async function showsRounds(page, said) {
  for (const [n, part] of PARTS.entries()) {
    const card = taskCard(page, n);
    if ((await card.getByTestId('sub-agent').count()) === 0) await card.getByTestId('tool-toggle').first().click();
    await card.getByTestId('sub-agent').filter({ hasText: `${said} ${part}` }).waitFor();
    assert.equal(await card.getByTestId('round-card').count(), 2);
    const nested = card.getByTestId('sub-agent').getByTestId('tool-card');
    assert.deepEqual(await nested.evaluateAll((cards) => cards.map(({ dataset }) => `${dataset.tool} ${dataset.state}`)), ['append_file ok']);
  }
}

test('three work at once; their rounds are seen meanwhile, afterwards, and after a reload', async (t) => {
  const { page, endpoint } = await start(t, (part) => held(text(`I have done part ${part}`)));
  assert.deepEqual(await toolCards(page), Array(3).fill('task running'));
  await until('each tells what it does', async () =>
    (await page.getByTestId('agent-doing').filter({ hasText: /Round 2/ }).count()) === 3);
  await showsRounds(page, 'I have done part');

  endpoint.release();
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'All parts are done.');
  assert.deepEqual(lastResults(endpoint.requests[7].body), PARTS.map((part) => `I have done part ${part}`));
  await showsRounds(page, 'I have done part');
  await reload(page);
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), Array(3).fill('task ok'));
  await showsRounds(page, 'I have done part');
  assert.equal(await page.getByTestId('session-row').count(), 1, 'they are no sessions of the list');
});

test('Stop of the parent stops them all', async (t) => {
  const { page, endpoint } = await start(t, (part) => held(text(`I was about to do part ${part}`)));
  await page.getByTestId('composer-stop').click();
  await waitStopped(page, 'Cancelled');
  const second = endpoint.requests.filter((request) => partOf(request) && !isFirst(request));
  await until('every connection is closed', () => second.length === 3 && second.every(({ aborted }) => aborted));
  assert.deepEqual(await toolCards(page), Array(3).fill('task error'));
  await reload(page);
  assert.equal(await page.getByTestId('resume-card').count(), 0);
  await showsRounds(page, 'I was about to do part');
  await send(page, 'What was done?');
  await waitStopped(page, 'Completed');
  for (const result of lastResults(endpoint.requests[7].body)) assert.match(result, /ended before the sub-agent was done; what it did to files stays/);
});

test('a reload while they work: Resume goes on where each of them stood', async (t) => {
  const { page, endpoint } = await start(t, (part) => held(text(`I have done part ${part}`)));
  await reload(page);
  await continueRun(page);
  await endpoint.arrived(10);
  await showsRounds(page, 'I have done part');
  endpoint.release();
  await waitStopped(page, 'Completed');
  assert.equal(endpoint.requests.length, 11);
  for (const part of PARTS) {
    const [, second, third] = endpoint.requests.filter((request) => partOf(request) === part);
    assert.deepEqual(third.body.messages, second.body.messages, part);
  }
});
