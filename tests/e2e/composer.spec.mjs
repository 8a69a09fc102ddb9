// The composer: lists behind / and @, earlier messages, attachments, long texts, prompts, drafts.

import assert from 'node:assert/strict';
import { plain, task } from './conversation.mjs';
import { held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, importFiles, reload, seed, send, setup, startDemo, waitStopped } from './app.mjs';

const field = (page) => page.getByTestId('composer-input');
const list = (page) => page.locator('#composer-list');
const lines = (page) => list(page).locator('.tools__text').allTextContents();
const linesAre = (page, expected) => until(`the list is ${expected}`, async () => (await lines(page)).join() === expected.join());
const isGone = (page) => list(page).waitFor({ state: 'detached' });
const draftIs = (page, text) => until(`the draft is ${JSON.stringify(text)}`, async () => (await field(page).inputValue()) === text);

/** Opens the page with an endpoint that repeats the task, once all of the page's code is there. */
async function begin(t) {
  const endpoint = await t.endpoint(({ body }) => text(`You said: ${plain(body.messages.at(-1).content)}`));
  const page = await t.open();
  await setup(page, endpoint);
  await page.getByTestId('composer-attach').waitFor();
  return { page, endpoint };
}

test('a file is mentioned by a few of its letters, with the keyboard alone', async (t) => {
  const { page, endpoint } = await begin(t);
  await importFiles(page, { 'meeting notes.md': '# Notes\n', 'plan.txt': 'plan\n', 'numbers.csv': '1\n' });
  await field(page).focus();
  await page.keyboard.type('Compare @plt');
  await list(page).waitFor();
  await linesAre(page, ['plan.txt']);
  const input = field(page);
  assert.equal(await list(page).getAttribute('role'), 'listbox');
  assert.equal(await input.getAttribute('aria-controls'), 'composer-list');
  const active = await input.getAttribute('aria-activedescendant');
  assert.equal(await page.locator(`#${active}`).getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Enter');
  await isGone(page);
  await draftIs(page, 'Compare plan.txt ');
  // A name with blanks is set apart, and arrows move through the list.
  await page.keyboard.type('with @');
  await linesAre(page, ['meeting notes.md', 'numbers.csv', 'plan.txt']);
  // Two down, and round the end to the first.
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
  await page.keyboard.press('Tab');
  await draftIs(page, 'Compare plan.txt with `meeting notes.md` ');
  // Escape closes the list and leaves what was typed; an address of mail opens none.
  await page.keyboard.type('@num');
  await list(page).waitFor();
  await page.keyboard.press('Escape');
  await isGone(page);
  await page.keyboard.type('b me@home');
  assert.equal(await list(page).count(), 0);
  const written = 'Compare plan.txt with `meeting notes.md` @numb me@home';
  await draftIs(page, written);
  t.sent.push(written);
  await page.keyboard.press('Enter');
  await waitStopped(page, 'Completed');
  assert.equal(plain(endpoint.requests[0].body.messages.at(-1).content), written);
});

test('20,000 files are searched without a stutter', async (t) => {
  const page = await t.open();
  await seed(page, Array.from({ length: 20_000 }, (_, n) => `tree/folder ${n % 97}/part ${n % 13}/file-${n}.txt`));
  await startDemo(page);
  await page.getByTestId('composer-attach').waitFor();
  await field(page).focus();
  await page.evaluate(() => {
    window.tookMs = [];
    const field = document.querySelector('[data-testid="composer-input"]');
    // What comes of a key is done when its event is over and the next task begins.
    field.addEventListener('input', () => {
      const start = performance.now();
      setTimeout(() => window.tookMs.push(performance.now() - start));
    }, true);
  });
  for (const key of '@file-19999') await page.keyboard.press(key);
  await list(page).waitFor();
  await until('the file is first', async () => (await lines(page))[0] === 'tree/folder 17/part 5/file-19999.txt');
  const took = await page.evaluate(() => window.tookMs);
  const middle = [...took].sort((a, b) => a - b)[took.length >> 1];
  assert.ok(middle < 50, `a key takes ${middle} ms; all of them: ${took.map(Math.round)}`);
});

test('commands behind / do what they name, and what is no command is sent', async (t) => {
  const { page, endpoint } = await begin(t);
  await field(page).focus();
  await page.keyboard.type('/pla');
  await list(page).waitFor();
  assert.equal((await lines(page))[0], '/plan');
  await page.keyboard.press('Enter');
  await until('the mode is Plan', async () => (await page.getByTestId('composer-mode').inputValue()) === 'plan');
  await draftIs(page, '');
  await page.keyboard.type('/act');
  await page.keyboard.press('Enter');
  await until('the mode is Act', async () => (await page.getByTestId('composer-mode').inputValue()) === 'act');
  await page.keyboard.type('/settings');
  await page.keyboard.press('Enter');
  await page.getByTestId('setting-round-limit').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('setting-round-limit').waitFor({ state: 'hidden' });
  await field(page).focus();
  await page.keyboard.type('/changes');
  await page.keyboard.press('Enter');
  await page.locator('.workspace--apart').waitFor();
  await field(page).focus();
  const words = '/etc/hosts is what?';
  t.sent.push(words);
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await waitStopped(page, 'Completed');
  assert.equal(plain(endpoint.requests[0].body.messages.at(-1).content), words);
});

test('arrows in an empty field bring earlier messages back, also in a new session', async (t) => {
  const { page } = await begin(t);
  await send(page, 'First');
  await waitStopped(page, 'Completed');
  await send(page, 'Second\nline');
  await waitStopped(page, 'Completed');
  await field(page).focus();
  await page.keyboard.press('ArrowUp');
  await draftIs(page, 'Second\nline');
  await page.keyboard.press('ArrowUp');
  await draftIs(page, 'First');
  await page.keyboard.press('ArrowUp');
  await draftIs(page, 'First');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await draftIs(page, '');
  await page.getByTestId('session-new').click();
  await page.getByTestId('message-user').waitFor({ state: 'detached' });
  await field(page).focus();
  await page.keyboard.press('ArrowUp');
  await draftIs(page, 'Second\nline');
  // In what is being written the arrows move the caret.
  await page.keyboard.type('!');
  await page.keyboard.press('ArrowUp');
  await draftIs(page, 'Second\nline!');
});

test('attached, pasted and dropped files come into the workspace and are mentioned', async (t) => {
  const { page, endpoint } = await begin(t);
  await importFiles(page, { 'note.txt': 'old\n' });
  await field(page).fill('Look at');
  const choosing = page.waitForEvent('filechooser');
  await page.getByTestId('composer-attach').click();
  await (await choosing).setFiles([
    { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('new\n') },
    { name: 'my table.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n') },
  ]);
  await draftIs(page, 'Look at `note (2).txt` `my table.csv` ');
  await fileRow(page, 'note (2).txt').waitFor();

  // A picture without a name gets one with the time; the window's own listener takes nothing twice.
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([1, 2, 3])], 'image.png', { type: 'image/png' }));
    const field = document.querySelector('[data-testid="composer-input"]');
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  const image = await until('the picture is mentioned', async () => (await field(page).inputValue()).match(/image-\d{8}-\d{6}\.png /)?.[0].trim());
  await fileRow(page, image).waitFor();
  assert.equal(await page.locator('[data-testid="file-row"][data-path^="image"]').count(), 1);

  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['dropped\n'], 'dropped.md', { type: 'text/markdown' }));
    const at = document.querySelector('.conversation');
    for (const kind of ['dragover', 'drop']) at.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await fileRow(page, 'dropped.md').waitFor();
  const draft = `Look at \`note (2).txt\` \`my table.csv\` ${image} dropped.md `;
  await draftIs(page, draft);
  t.sent.push(draft.trim());
  await page.getByTestId('composer-send').click();
  await waitStopped(page, 'Completed');
  assert.match(task(endpoint.requests[0].body.messages), /note \(2\)\.txt.*dropped\.md/);
});

test('a long text that is pasted becomes a file when the user wants it', async (t) => {
  const { page } = await begin(t);
  const long = 'A line of text that goes on.\n'.repeat(200);
  const paste = (text) => page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    const field = document.querySelector('[data-testid="composer-input"]');
    field.focus();
    if (field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))) {
      document.execCommand('insertText', false, text);
    }
  }, text);
  await field(page).fill('Sum this up: ');
  await paste('short');
  assert.equal(await page.getByTestId('paste-offer').count(), 0);
  await field(page).fill('Sum this up: ');
  await paste(long);
  await page.getByTestId('paste-offer').filter({ hasText: '5,800 characters' }).waitFor();
  await until('its tokens are told', async () => /≈ [\d.]+k tokens/.test(await page.getByTestId('composer-tokens').innerText()));
  await page.getByTestId('paste-to-file').click();
  const name = await until('the file is mentioned', async () => (await field(page).inputValue()).match(/^Sum this up: (pasted-\d{8}-\d{6}\.txt) $/)?.[1]);
  await fileRow(page, name).click();
  await page.getByTestId('file-viewer').filter({ hasText: 'A line of text that goes on.' }).waitFor();
  assert.equal(await page.getByTestId('paste-offer').count(), 0);
});

test('a prompt with variables is made, asked for, changed and removed', async (t) => {
  const { page } = await begin(t);
  const openSettings = async () => {
    await page.getByTestId('settings-open').click();
    await page.getByTestId('prompt-add').waitFor();
  };
  const save = async () => {
    await page.getByTestId('settings-save').click();
    await page.getByTestId('settings-save').waitFor({ state: 'hidden' });
  };
  await openSettings();
  await page.getByTestId('prompt-add').click();
  await page.getByTestId('prompt-name').fill('Translate');
  await page.getByTestId('prompt-text').fill('Translate {{file}} into {{language}}; keep {{file}}.');
  await page.getByTestId('prompt-add').click();
  await page.getByTestId('prompt-text').last().fill('Tidy up the folder');
  await save();
  await reload(page);
  await page.getByTestId('composer-attach').waitFor();

  await field(page).focus();
  await page.keyboard.type('/trans');
  await list(page).waitFor();
  assert.ok((await lines(page)).includes('Translate'));
  await list(page).getByText('Translate', { exact: true }).click();
  const values = page.getByTestId('prompt-value');
  await values.first().waitFor();
  assert.equal(await values.count(), 2);
  await values.nth(0).fill('a.md');
  await values.nth(1).fill('German');
  await page.getByTestId('prompt-insert').click();
  await draftIs(page, 'Translate a.md into German; keep a.md.');
  await until('the composer has the focus', () => page.evaluate(() => document.activeElement.dataset.testid === 'composer-input'));

  // One without a name is called by its text, and one without variables is written at once.
  await field(page).fill('');
  await page.keyboard.type('/tidy');
  await page.keyboard.press('Enter');
  await draftIs(page, 'Tidy up the folder');
  await openSettings();
  assert.equal(await page.getByTestId('prompt-name').nth(1).inputValue(), 'Tidy up the folder');
  await page.getByTestId('prompt-remove').first().click();
  await page.getByTestId('prompt-text').fill('Tidy up everything');
  await save();
  await field(page).fill('');
  await field(page).focus();
  await page.keyboard.type('/t');
  await list(page).waitFor();
  const left = await lines(page);
  assert.ok(left.includes('Tidy up the folder') && !left.includes('Translate'), left.join());
});

test('drafts are kept apart for each session, and over a reload', async (t) => {
  const { page } = await begin(t);
  await send(page, 'Apples');
  await waitStopped(page, 'Completed');
  await field(page).fill('more apples');
  await page.getByTestId('session-new').click();
  await draftIs(page, '');
  await field(page).fill('something new');
  await page.getByTestId('session-row').click();
  await draftIs(page, 'more apples');
  await reload(page);
  await draftIs(page, 'more apples');
  await page.getByTestId('session-new').click();
  await draftIs(page, 'something new');
  t.sent.push('something new');
  await page.getByTestId('composer-send').click();
  await waitStopped(page, 'Completed');
  await page.getByTestId('composer-attach').waitFor();
  await page.getByTestId('session-new').click();
  await draftIs(page, '');
});

test('a run that goes on offers to queue and to stop, and the list offers what can be done then', async (t) => {
  const endpoint = await t.endpoint([held(text('Slowly.')), text('Done.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await page.getByTestId('composer-attach').waitFor();
  await send(page, 'Take your time');
  await page.getByTestId('composer-stop').waitFor();
  await page.getByTestId('composer-queue').waitFor();
  assert.equal(await page.getByTestId('composer-send').count(), 0);
  await field(page).focus();
  await page.keyboard.type('/');
  await list(page).waitFor();
  const offered = await lines(page);
  assert.ok(offered.includes('/stop') && !offered.includes('/plan') && !offered.includes('/undo'), offered.join(' '));
  await page.keyboard.type('stop');
  await page.keyboard.press('Enter');
  await waitStopped(page, 'Cancelled');
});
