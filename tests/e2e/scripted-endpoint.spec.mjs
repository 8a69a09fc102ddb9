// The endpoint and its checks, tried on a plain client: a check that catches nothing
// would make every other test worthless.

import assert from 'node:assert/strict';
import { call, calls, dropped, endedBy, failure, held, text, truncated } from './endpoint.mjs';
import { faults } from './conversation.mjs';
import { test } from './harness.mjs';

const system = { role: 'system', content: 'You are at work.' };
const user = { role: 'user', content: 'Do it.' };
const asks = (...ids) => ({
  role: 'assistant', content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'list_dir', arguments: '{}' } })),
});
const result = (id) => ({ role: 'tool', tool_call_id: id, content: 'done' });
const request = (...messages) => ({ model: 'm', stream: true, messages });

const post = (endpoint, body) => fetch(`${endpoint.baseUrl}/chat/completions`, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
});

const dataOf = (sse) => sse.split(/\r?\n/).filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));

test('a sound conversation has no faults', async () => {
  const first = request(system, user);
  const second = request(system, user, asks('a', 'b'), result('a'), result('b'));
  const third = request(...second.messages, { role: 'assistant', content: 'Done.' }, { role: 'user', content: 'More.' });
  assert.deepEqual(faults(first), []);
  assert.deepEqual(faults(second, [first]), []);
  assert.deepEqual(faults(third, [first, second]), []);
});

const broken = {
  'no system prompt': [request(user), /first message is not the system prompt/],
  'a second system message': [request(system, user, system), /a system message that is not the first/],
  'no task': [request(system, asks('a'), result('a')), /task is not right behind/],
  'a call without a result': [request(system, user, asks('a', 'b'), result('a')), /the calls b have no result/],
  'results out of order': [request(system, user, asks('a', 'b'), result('b'), result('a')), /result for b where the one for a belongs/],
  'two results for a call': [request(system, user, asks('a'), result('a'), result('a')), /a result \(a\) that no call waits for/],
  'something between call and result': [request(system, user, asks('a'), user, result('a')), /the calls a have no result before it/],
  'an id used twice': [request(system, user, asks('a'), result('a'), asks('a'), result('a')), /the id a is used twice/],
  'an empty assistant message': [request(system, user, { role: 'assistant', content: '' }), /neither text nor tool calls/],
  'an empty list of tools': [{ ...request(system, user), tools: [] }, /tools is there but holds none/],
  'no streaming': [{ ...request(system, user), stream: false }, /stream is not true/],
};

test('each broken rule is found', async () => {
  for (const [what, [body, expected]] of Object.entries(broken)) {
    assert.match(faults(body, [request(system, user)]).join('\n'), expected, what);
  }
});

test('a changed history is found', async () => {
  const first = request(system, user, { role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'More.' });
  const changed = request(system, user, { role: 'assistant', content: 'No.' }, { role: 'user', content: 'More.' });
  assert.match(faults(changed, [request(system, user), first]).join('\n'), /message 2 \(assistant\) is not the one sent before/);
});

test('a history that may be shortened begins as before all the same', () => {
  const rules = { shortens: true };
  const before = request(system, user, asks('a'), result('a'));
  const shorter = request(system, user, { role: 'user', content: 'Something was read.' }, { role: 'assistant', content: 'Yes.' });
  assert.deepEqual(faults(shorter, [before], rules), []);
  assert.match(faults(shorter, [before]).join('\n'), /message 2/);
  const other = request({ ...system, content: 'You are idle.' }, ...shorter.messages.slice(1));
  assert.match(faults(other, [before], rules).join('\n'), /message 0 \(system\) is not the one sent before/);
});

test('a body cut at any bytes is the same body', async (t) => {
  const script = () => [calls(call('write_file', { path: 'a', content: '你好 🌍' })), text('Grüße, 世界 🌍.')];
  const wires = [{}, { cut: 1 }, { cut: 7, crlf: true }, { cut: 'random', crlf: true, keepAlives: true }];
  const seen = [];
  for (const wire of wires) {
    const endpoint = await t.endpoint(script(), wire);
    const sse = await (await post(endpoint, request(system, user))).text();
    assert.equal(/\r\n/.test(sse), wire.crlf ?? false);
    assert.equal(/^: keep-alive/m.test(sse), wire.keepAlives ?? false);
    seen.push(dataOf(sse));
    t.sent.push(user.content);
  }
  for (const data of seen) assert.deepEqual(data, seen[0]);
  assert.equal(seen[0].at(-1), '[DONE]');
});

test('endings: whole, truncated, dropped, held, an error', async (t) => {
  const endpoint = await t.endpoint([
    text('Hello.'), truncated(text('Hello.')), dropped(text('Hello.')), held(text('Hello.')), failure(401, { message: 'No.' }, 7),
    endedBy(text('Hel'), 'length'),
  ]);
  t.sent.push(user.content);
  const ask = async () => (await post(endpoint, request(system, user))).text();

  assert.match(await ask(), /"finish_reason":"stop".*\[DONE\]/s);
  assert.doesNotMatch(await ask(), /"finish_reason":"stop"|\[DONE\]/);
  await assert.rejects(ask());

  let ended = false;
  const open = ask().then((body) => ((ended = true), body));
  await endpoint.arrived(4);
  assert.equal(ended, false);
  endpoint.release();
  assert.match(await open, /\[DONE\]/);

  const refused = await post(endpoint, request(system, user));
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get('retry-after'), '7');
  assert.deepEqual(await refused.json(), { error: { message: 'No.' } });
  assert.match(await ask(), /"finish_reason":"length".*\[DONE\]/s);
});
