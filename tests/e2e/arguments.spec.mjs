// Calls that can't be run: each gets a result that begins with "Error:" and says
// what was wrong, and the loop goes on.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { importFiles, send, setup, toolCards, waitStopped } from './app.mjs';

const MEGABYTE = 1024 * 1024;

/** Runs all `cases` in one message, and holds each result against what it must mention. */
async function refuse(t, page, endpoint, cases) {
  await send(page, 'Try these calls');
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), cases.map(({ call }) => `${call.name} error`));
  const told = lastResults(endpoint.requests.at(-1).body);
  cases.forEach(({ what, mentions }, at) => {
    const content = told[at];
    assert.match(content, /^Error:/, what);
    for (const word of mentions) assert.match(content, word, what);
    assert.ok(content.length < 1_000, `${what}: the result is short`);
  });
}

const UNSOUND = [
  { what: 'invalid JSON', call: call('read_file', '{"path": "a.txt"'), mentions: [/JSON/] },
  { what: 'JSON that is no object', call: call('read_file', '["a.txt"]'), mentions: [/object/] },
  { what: 'an unknown tool', call: call('launch_rocket', { to: 'moon' }), mentions: [/launch_rocket/, /read_file/] },
  { what: 'a missing field', call: call('read_file', {}), mentions: [/path/] },
  { what: 'a field of the wrong type', call: call('read_file', { path: 5 }), mentions: [/path/, /string/] },
  { what: 'an unknown field', call: call('read_file', { path: 'a.txt', colour: 'red' }), mentions: [/colour/] },
  { what: 'a list of the wrong things', call: call('edit_file', { path: 'a.txt', edits: 'all' }), mentions: [/edits/, /array|list/] },
  { what: 'a field missing deep inside', call: call('edit_file', { path: 'a.txt', edits: [{ old_text: 'a' }] }), mentions: [/new_text/] },
];

test('unsound calls are answered with what is wrong', async (t) => {
  const endpoint = await t.endpoint([calls(...UNSOUND.map(({ call }) => call)), text('I see.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await refuse(t, page, endpoint, UNSOUND);
});

const UNREADABLE = [
  { what: 'a missing file', call: call('read_file', { path: 'nothing.txt' }), mentions: [/nothing\.txt/] },
  { what: 'a directory', call: call('read_file', { path: 'folder' }), mentions: [/folder/, /director/i] },
  { what: 'a directory to write to', call: call('write_file', { path: 'folder', content: 'x' }), mentions: [/folder/, /director/i] },
  { what: 'a file where a directory is meant', call: call('write_file', { path: 'picture.png/x', content: 'x' }), mentions: [/picture\.png/] },
  { what: 'a damaged image', call: call('read_file', { path: 'picture.png' }), mentions: [/picture\.png/, /damaged/i] },
  { what: 'a binary file', call: call('read_file', { path: 'data.bin' }), mentions: [/data\.bin/, /binary|not text/i] },
  { what: 'a text that does not occur', call: call('edit_file', { path: 'folder/in.txt', edits: [{ old_text: 'absent', new_text: 'x' }] }), mentions: [/folder\/in\.txt|absent/] },
  { what: 'a text that occurs twice', call: call('edit_file', { path: 'folder/in.txt', edits: [{ old_text: 'ha', new_text: 'x' }] }), mentions: [/2|twice|two|unique|once/] },
];

test('files that can\'t be worked on are told apart', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'folder/in.txt', content: 'haha\n' })),
    text('Ready.'),
    calls(...UNREADABLE.map(({ call }) => call)),
    text('I see.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'picture.png': Buffer.from('89504e470d0a1a0a0000000d49484452ff00fe', 'hex'), 'data.bin': Buffer.from('00ff00fe', 'hex') });
  await send(page, 'Make a folder');
  await waitStopped(page, 'Completed');
  await page.getByTestId('session-new').click();
  await refuse(t, page, endpoint, UNREADABLE);
});

test('a file of 20 MB is refused, and the next call works', async (t) => {
  const tooLarge = [{ what: 'a file of 20 MB', call: call('read_file', { path: 'huge.txt' }), mentions: [/huge\.txt|large|big/i, /20|MB|bytes/] }];
  const endpoint = await t.endpoint([
    calls(tooLarge[0].call),
    text('Too large.'),
    calls(call('list_dir', {})),
    text('There it lies.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'huge.txt': Buffer.alloc(20 * MEGABYTE, 'all work and no play\n') });
  await refuse(t, page, endpoint, tooLarge);
  await send(page, 'Is it there?');
  await waitStopped(page, 'Completed');
  assert.equal((await toolCards(page)).at(-1), 'list_dir ok');
  assert.match(lastResults(endpoint.requests[3].body)[0], /huge\.txt/);
});

test('a long result is cut, and says so', async (t) => {
  const endpoint = await t.endpoint([calls(call('read_file', { path: 'long.txt' })), text('Long.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'long.txt': Array.from({ length: 8_000 }, (_, n) => `line ${n + 1} of a long file`).join('\n') });
  await send(page, 'Read the long file');
  await waitStopped(page, 'Completed');
  const [content] = lastResults(endpoint.requests[1].body);
  assert.doesNotMatch(content, /^Error:/);
  assert.ok(content.length <= 17 * 1024, `the result has ${content.length} characters`);
  assert.match(content, /line 1 of a long file/);
  assert.match(content, /cut|omitted|left out|of 8,?000|truncated/i);
});
