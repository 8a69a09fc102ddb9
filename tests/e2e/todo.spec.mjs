// The TODO task over real HTTP, in pieces as awkward as the wire can make them.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { cardText, fileRow, importFiles, openFile, send, setup, toolCards, waitAnswer, waitShown, waitStopped } from './app.mjs';

const MINUTES = '# Weekly\nTODO Ada: rename the “parser” module\nWe had tea.\nTODO 小林: 写文档 📝\n';
const TODO_LIST = 'TODO Ada: rename the “parser” module\nTODO 小林: 写文档 📝\n';
const ANSWER = 'Two items are in todo-list.md: one for Ada, one for 小林 📝.';

const script = () => [
  calls(call('read_file', { path: 'minutes.md' })),
  calls(call('write_file', { path: 'todo-list.md', content: TODO_LIST })),
  text(ANSWER),
];

const wires = {
  'in single bytes': { cut: 1 },
  'in pieces of seven bytes, with CR LF': { cut: 7, crlf: true },
  'in random pieces, with CR LF and keep-alives': { cut: 'random', crlf: true, keepAlives: true },
};

for (const [how, wire] of Object.entries(wires)) {
  test(`the TODO task, streamed ${how}`, async (t) => {
    const endpoint = await t.endpoint(script(), wire);
    const page = await t.open();
    await setup(page, endpoint);
    await importFiles(page, { 'minutes.md': MINUTES });
    await send(page, 'Read minutes.md and write its TODO lines to todo-list.md');
    await waitStopped(page, 'Completed');

    assert.deepEqual(await toolCards(page), ['read_file ok', 'write_file ok']);
    const round = (n) => page.locator(`[data-testid="round-card"][data-round="${n}"]`);
    assert.equal(await round(1).locator('[data-tool="read_file"]').count(), 1);
    assert.equal(await round(2).locator('[data-tool="write_file"]').count(), 1);
    assert.match(await cardText(round(2).getByTestId('tool-card'), 'tool-args'), /todo-list\.md/);
    await waitAnswer(page, ANSWER);

    await fileRow(page, 'todo-list.md').waitFor();
    await openFile(page, 'todo-list.md');
    await waitShown(page, TODO_LIST);

    const [, second, third] = endpoint.requests;
    assert.match(lastResults(second.body)[0], /TODO 小林: 写文档 📝/);
    assert.doesNotMatch(lastResults(third.body)[0], /^Error:/);
    assert.equal(endpoint.requests.length, 3);
  });
}
