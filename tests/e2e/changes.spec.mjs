// The changes of a run: looked through, marked as reviewed, taken back by file and by place.

import assert from 'node:assert/strict';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, importFiles, openFile, reload, send, setup, shownText, waitStopped } from './app.mjs';

const lines = (first, last) => `${first}\r\n${'same\r\n'.repeat(9)}${last}`;
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

async function run(t, options) {
  const endpoint = await t.endpoint([
    calls(
      call('edit_file', { path: 'poem.txt', edits: [{ old_text: 'first', new_text: 'FIRST' }, { old_text: 'last', new_text: 'LAST' }] }),
      call('write_file', { path: 'src/new.md', content: 'a\nb\n' }),
      call('move', { from: 'old.txt', to: 'there/moved.txt' }),
      call('copy', { from: 'dot.png', to: 'dot-2.png' }),
    ),
    text('All changed.'),
  ]);
  const page = await t.open(options);
  await setup(page, endpoint);
  await importFiles(page, { 'poem.txt': lines('first', 'last'), 'old.txt': 'as it was\n', 'dot.png': PNG });
  await send(page, 'Change some files');
  await waitStopped(page, 'Completed');
  return page;
}

const change = (page, path) => page.getByTestId('changes-view').locator(`[data-testid="diff-file"][data-path="${path}"]`);

async function openChanges(page) {
  await page.getByTestId('view-changes').click();
  await page.getByTestId('changes-list').waitFor();
}

/** The content of a file in the workspace, byte by byte as far as text is. */
async function readsAs(page, path, content) {
  await page.getByTestId('view-files').click();
  await openFile(page, path);
  const flat = (all) => all.replaceAll('\r', '').trim();
  await until(`${path} reads as it should`, async () => flat(await shownText(page)) === flat(content));
  await page.getByTestId('view-changes').click();
}

test('a run is looked through by file, and one place of it taken back', async (t) => {
  const page = await run(t);
  await until('the tab counts the files', async () => (await page.getByTestId('changes-count').innerText()) === '4');
  await page.getByTestId('review-changes').click();
  await page.getByTestId('changes-list').waitFor();
  const kinds = await page.getByTestId('changes-view').getByTestId('diff-file').evaluateAll((all) =>
    all.map(({ dataset }) => `${dataset.path} ${dataset.kind}`));
  assert.deepEqual(kinds, ['dot-2.png new', 'poem.txt changed', 'src/new.md new', 'there/moved.txt moved']);
  assert.match(await change(page, 'poem.txt').innerText(), /\+2\s*−2/);
  await until('the move is told', async () => /only its place changed/i.test(await change(page, 'there/moved.txt').innerText()));
  await change(page, 'dot-2.png').locator('img').waitFor();

  const hunks = change(page, 'poem.txt').getByTestId('diff-hunk');
  await until('both places are shown', async () => (await hunks.count()) === 2);
  await hunks.nth(0).getByTestId('hunk-revert').click();
  await until('one place is left', async () => (await hunks.count()) === 1);
  assert.match(await hunks.innerText(), /LAST/);
  await readsAs(page, 'poem.txt', lines('first', 'LAST'));

  const told = page.getByTestId('toast').filter({ hasText: 'Changes in 1 file were taken back.' });
  await told.getByTestId('toast-undo').click();
  await until('both places are back', async () => (await hunks.count()) === 2);
  await readsAs(page, 'poem.txt', lines('FIRST', 'LAST'));
});

test('files are taken back, what was reviewed is known after a reload, and all can go', async (t) => {
  const page = await run(t);
  await openChanges(page);
  await change(page, 'there/moved.txt').getByTestId('change-revert').click();
  await change(page, 'there/moved.txt').waitFor({ state: 'hidden' });
  await page.getByTestId('view-files').click();
  await fileRow(page, 'old.txt').waitFor();
  assert.equal(await fileRow(page, 'there').count(), 0, 'the folder made for it is gone too');

  await openChanges(page);
  const poem = change(page, 'poem.txt');
  await poem.getByTestId('diff-hunk').first().waitFor();
  await poem.getByTestId('change-review').click();
  await poem.getByTestId('diff-hunk').first().waitFor({ state: 'hidden' });
  await reload(page);
  await openChanges(page);
  await until('it is known as reviewed', async () => (await poem.getByTestId('change-review').getAttribute('aria-pressed')) === 'true');
  assert.equal(await poem.getByTestId('diff-hunk').count(), 0, 'and folded');

  await page.getByTestId('changes-revert-all').click();
  await page.getByTestId('changes-revert-confirm').click();
  await page.getByTestId('changes-none').waitFor();
  await page.getByTestId('changes-count').waitFor({ state: 'hidden' });
  await readsAs(page, 'poem.txt', lines('first', 'last'));
});

test('changes stand side by side, and since a checkpoint', async (t) => {
  const page = await run(t, { viewport: { width: 1400, height: 900 } });
  await openChanges(page);
  await page.getByTestId('changes-side').click();
  const pair = change(page, 'poem.txt').locator('.side__line');
  await pair.first().waitFor();
  assert.deepEqual((await pair.allInnerTexts()).slice(0, 2).map((all) => all.replace(/\s+/g, '')), ['1−first', '1+FIRST']);
  await page.getByTestId('checkpoints-open').click();
  await page.getByTestId('checkpoint-changes').first().click();
  await change(page, 'poem.txt').waitFor();
  assert.equal(await page.getByTestId('changes-scope').inputValue(), 'checkpoint');
  await page.getByTestId('changes-scope').selectOption('session');
  await change(page, 'poem.txt').waitFor();
});

test('a change is taken back by keyboard alone', async (t) => {
  const page = await run(t);
  await page.getByTestId('view-files').focus();
  await page.keyboard.press('ArrowRight');
  const poem = change(page, 'poem.txt');
  await poem.getByTestId('diff-hunk').first().waitFor();
  const focused = (id) => page.evaluate((id) => document.activeElement?.dataset.testid === id, id);
  const tabTo = async (id, within = 40) => {
    for (let n = 0; n < within; n += 1) {
      await page.keyboard.press('Tab');
      if (await focused(id)) return;
    }
    throw new Error(`${id} can't be reached by Tab`);
  };
  await tabTo('hunk-revert');
  await page.keyboard.press('Enter');
  await until('one place is left', async () => (await poem.getByTestId('diff-hunk').count()) === 1);
  await tabTo('change-toggle');
  await tabTo('change-toggle');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-expanded')), 'true');
  await page.keyboard.press('Enter');
  await until('it is folded', () => page.evaluate(() => document.activeElement.getAttribute('aria-expanded') === 'false'));
});
