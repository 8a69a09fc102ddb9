// What tools give back to the model, and what the user sees of their work.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, importFiles, openFile, send, setApproval, setup, toolCards, waitShown, waitStopped } from './app.mjs';

test('the loop recovers from a missing file', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('read_file', { path: 'plan.txt' })),
    calls(call('list_dir', {})),
    calls(call('read_file', { path: 'plan-b.txt' })),
    text('The plan is in plan-b.txt.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'plan-b.txt': 'Meet at nine.\n' });
  await send(page, 'What is the plan?');
  await waitStopped(page, 'Completed');

  assert.deepEqual(await toolCards(page), ['read_file error', 'list_dir ok', 'read_file ok']);
  const [missing] = lastResults(endpoint.requests[1].body);
  assert.match(missing, /^Error:.*plan\.txt/);
  assert.match(lastResults(endpoint.requests[2].body)[0], /plan-b\.txt/);
  assert.match(lastResults(endpoint.requests[3].body)[0], /Meet at nine\./);
});

const OUTSIDE = ['../secret', '/../secret', 'notes/../../secret', 'a/../../b', '..%2fsecret', '%2e%2e/secret', 'nul\0l', 'x'.repeat(5_000)];

test('no path leaves the workspace', async (t) => {
  const endpoint = await t.endpoint([
    calls(...OUTSIDE.map((path) => call('write_file', { path, content: 'out' }))),
    calls(...OUTSIDE.map((path) => call('read_file', { path }))),
    text('None of that is allowed.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'inside.txt': 'in\n' });
  const before = await page.getByTestId('file-row').count();
  await send(page, 'Write outside of the workspace');
  await waitStopped(page, 'Completed');

  for (const request of endpoint.requests.slice(1)) {
    const told = lastResults(request.body);
    assert.equal(told.length, OUTSIDE.length);
    told.forEach((result, at) => assert.match(result, /^Error:/, `${OUTSIDE[at].slice(0, 40)} was not refused`));
  }
  assert.equal(await page.getByTestId('file-row').count(), before);
});

test('three calls at once: the results come back in the order of the calls', async (t) => {
  const files = { 'big.txt': 'the big one\n'.repeat(800), 'middle.txt': 'the middle one\n', 'small.txt': 'the small one\n' };
  const endpoint = await t.endpoint([
    calls(...Object.keys(files).map((path) => call('read_file', { path }))),
    text('Read all three.'),
  ], { cut: 7 });
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, files);
  await send(page, 'Read the three files');
  await waitStopped(page, 'Completed');

  assert.deepEqual(await toolCards(page), ['read_file ok', 'read_file ok', 'read_file ok']);
  const told = lastResults(endpoint.requests[1].body);
  assert.equal(told.length, 3);
  assert.match(told[0], /the big one/);
  assert.match(told[1], /the middle one/);
  assert.match(told[2], /the small one/);
});

test('every tool works on the files, and an open file follows the work', async (t) => {
  let go;
  const opened = new Promise((resolve) => (go = resolve));
  const steps = [
    () => calls(call('write_file', { path: 'poem/one.txt', content: 'roses are red\n' })),
    async () => {
      await opened;
      return calls(call('append_file', { path: 'poem/one.txt', content: 'violets are blue\n' }));
    },
    () => calls(call('edit_file', { path: 'poem/one.txt', edits: [{ old_text: 'red', new_text: 'white' }] })),
    () => calls(call('read_file', { path: 'poem/one.txt' }), call('list_dir', { path: 'poem' })),
    () => text('The poem is done.'),
  ];
  const endpoint = await t.endpoint((_, n) => steps[n - 1]());
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Write a poem');
  await fileRow(page, 'poem/one.txt').waitFor();
  await openFile(page, 'poem/one.txt');
  await waitShown(page, 'roses are red\n');
  go();
  await waitStopped(page, 'Completed');

  await waitShown(page, 'roses are white\nviolets are blue\n');
  assert.deepEqual(await toolCards(page), ['write_file ok', 'append_file ok', 'edit_file ok', 'read_file ok', 'list_dir ok']);
  const [read, list] = lastResults(endpoint.requests[4].body);
  assert.match(read, /roses are white[\s\S]*violets are blue/);
  assert.match(list, /one\.txt/);
});

test('a tool that is at work shows it, and how long it took', async (t) => {
  const endpoint = await t.endpoint([calls(call('list_dir', {})), text('Seen.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Look around');
  await waitStopped(page, 'Completed');
  const card = page.getByTestId('tool-card');
  await until('the card tells a duration', async () => /\d\s?(ms|s)\b/.test(await card.innerText()));
});

test('a look at what has not changed is answered from before, and says so', async (t) => {
  const look = calls(call('list_dir', {}));
  const endpoint = await t.endpoint([look, look, text('Seen twice.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Look twice');
  await waitStopped(page, 'Completed');
  const [first, second] = await page.getByTestId('tool-card').allInnerTexts();
  assert.doesNotMatch(first, /unchanged, from before/);
  assert.match(second, /unchanged, from before/);
});

test('files are searched, patched, copied, moved and deleted, and the tree follows', async (t) => {
  const patch = [
    '--- a/src/a.js', '+++ b/src/a.js', '@@ -1,2 +1,2 @@', ' // First.', '-let needle = 1;', '+let needle = 2;',
    '--- /dev/null', '+++ b/src/b.js', '@@ -0,0 +1 @@', '+new', '',
  ].join('\n');
  const endpoint = await t.endpoint([
    calls(call('glob', { pattern: '*.js' }), call('grep', { pattern: 'need.e', context: 1 })),
    calls(call('apply_patch', { patch })),
    calls(call('make_dir', { path: 'docs/empty' }), call('copy', { from: 'src', to: 'backup' })),
    calls(call('move', { from: 'src/a.js', to: 'docs/a.js' }), call('delete', { path: 'src' })),
    text('All of it is done.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'src/a.js': '// First.\nlet needle = 1;\n' });
  await send(page, 'Tidy up');
  await waitStopped(page, 'Completed');

  assert.deepEqual(await toolCards(page), [
    'glob ok', 'grep ok', 'apply_patch ok', 'make_dir ok', 'copy ok', 'move ok', 'delete ok',
  ]);
  const [found, lines] = lastResults(endpoint.requests[1].body);
  assert.match(found, /^src\/a\.js\t/);
  assert.match(lines, /^1 matching line in 1 file\n\nsrc\/a\.js\n1-\/\/ First\.\n2:let needle = 1;/);
  // Long names are cut in the middle: what is shown has line breaks, what is told has none.
  const cards = await page.getByTestId('tool-card').allTextContents();
  assert.match(cards[1], /1 match/);
  assert.match(cards[2], /src\/a\.js, src\/b\.js[\s\S]*\+2 −1/);
  assert.match(cards[5], /src\/a\.js → docs\/a\.js/);
  await openFile(page, 'docs/a.js');
  await waitShown(page, '// First.\nlet needle = 2;\n');
  for (const path of ['docs/empty', 'backup/a.js', 'backup/b.js']) await fileRow(page, path).waitFor();
  for (const path of ['src', 'src/a.js', 'src/b.js']) assert.equal(await fileRow(page, path).count(), 0);
});

test('a question shows what is moved and deleted', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('move', { from: 'old', to: 'new' }), call('delete', { path: 'new/a.txt' })),
    text('Done.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'old/a.txt': 'one\n' });
  await setApproval(page, 'writes');
  await send(page, 'Move it, then delete it');
  const diff = page.locator('[data-testid="diff-file"][data-path="new/a.txt"]');
  await page.locator('[data-testid="diff-file"][data-kind="moved"]').waitFor();
  assert.match(await diff.textContent(), /old\/a\.txt → new\/a\.txt/);
  await page.getByTestId('approval-allow').click();
  await page.locator('[data-testid="diff-file"][data-kind="deleted"]').filter({ hasText: 'one' }).waitFor();
  await page.getByTestId('approval-allow').click();
  await waitStopped(page, 'Completed');
  assert.equal(await fileRow(page, 'new/a.txt').count(), 0);
});
