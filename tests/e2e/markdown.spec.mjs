// Answers in Markdown: harmless whatever they hold, drawn once, and cut where they are too much.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { send, setup, waitAnswer, waitStopped } from './app.mjs';

const corpus = JSON.parse(await readFile(new URL('./xss.json', import.meta.url), 'utf8'));
/** The elements that an answer may become. */
const HARMLESS = 'A BLOCKQUOTE BR BUTTON CODE DIV EM H3 H4 H5 HR INPUT LI OL P PATH POLYLINE LINE CIRCLE RECT PRE S SPAN STRONG SVG USE TABLE TBODY TD TH TR UL'.split(' ');

/** Runs in the page: what of the answers could do something. */
function suspects(harmless) {
  const found = [];
  for (const element of document.querySelectorAll('[data-testid=message-assistant] *')) {
    if (!harmless.includes(element.tagName.toUpperCase())) found.push(element.tagName);
    for (const { name, value } of element.attributes) {
      if (/^on|^src|^style$|^ping$|^formaction$/i.test(name)) found.push(`${element.tagName} ${name}`);
      if (name === 'href' && !/^(https?:\/\/|mailto:|#)/i.test(value)) found.push(value);
    }
  }
  return found;
}

test('an answer of all known tricks runs nothing and asks nobody', async (t) => {
  assert.ok(corpus.length >= 200, `${corpus.length} cases`);
  // A case a message of its own would take long: a hundred at a time, apart from one another.
  const parts = [];
  for (let at = 0; at < corpus.length; at += 100) parts.push(corpus.slice(at, at + 100));
  const endpoint = await t.endpoint(parts.map((part, n) =>
    text(`${part.map((each) => each.text).join('\n\n-->\n\n</script>\n\n</style>\n\n')}\n\n\`\`\`\n\`\`\`\n\nThat was part ${n}.`)));
  const page = await t.open();
  await setup(page, endpoint);
  for (const n of parts.keys()) {
    await send(page, `Part ${n}`);
    await waitStopped(page, 'Completed');
  }
  await waitAnswer(page, `That was part ${parts.length - 1}.`);
  // What waits for the pointer: it is moved over, and pressed where no page opens.
  await page.evaluate(() => {
    for (const element of document.querySelectorAll('[data-testid=message-assistant] :is(span, p, a, td, li)')) {
      element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
      if (!element.closest('a')) element.click();
    }
  });
  assert.equal(await page.evaluate(() => window.injected), undefined);
  assert.deepEqual(await page.evaluate(suspects, HARMLESS), []);
  const own = new URL(page.url()).origin;
  const elsewhere = t.urls.filter((url) => ![own, endpoint.origin].includes(new URL(url).origin) && !url.startsWith('blob:'));
  assert.deepEqual(elsewhere, []);
});

/** Runs in the page: notes what changes in blocks that were no longer at the end. */
function watchBlocks() {
  window.taken = [];
  let before = 0;
  new MutationObserver((records) => {
    const blocks = [...document.querySelectorAll('.prose__block')];
    for (const { target, removedNodes, type } of records) {
      const block = target.parentElement?.closest?.('.prose__block') ?? target.closest?.('.prose__block');
      const at = blocks.indexOf(block);
      if (at >= 0 && at < before - 2 && (type === 'characterData' || removedNodes.length > 0)) window.taken.push(block.textContent.slice(0, 60));
    }
    before = blocks.length;
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

test('what is drawn of an answer stays while it grows', async (t) => {
  const piece = (n) => `## Part ${n}\n\nSome **bold** words and [a link](https://example.com/${n}).\n\n- [x] one\n- [ ] two\n\n| a | b |\n|---|---|\n| ${n} | \`code\` |\n\n\`\`\`rust\nfn part_${n}() {}\n\`\`\`\n\n`;
  const endpoint = await t.endpoint([text(`${Array.from({ length: 40 }, (_, n) => piece(n)).join('')}That was all.`)], { cut: 64 });
  const page = await t.open();
  await page.evaluate(watchBlocks);
  await setup(page, endpoint);
  await send(page, 'Tell me much');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  assert.equal(await page.locator('.prose .code').count(), 40);
  assert.equal(await page.locator('.prose .prose__table').count(), 40);
  assert.deepEqual(await page.evaluate(() => window.taken), []);
});

test('what is too much is cut with a notice, and shown when asked for', async (t) => {
  const hostile = [
    `${'>'.repeat(10_000)} deep`,
    'word '.repeat(200_000),
    `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(5_000)}`,
    `${'*a '.repeat(20_000)}${'['.repeat(20_000)}`,
    'That was all.',
  ].join('\n\n');
  const endpoint = await t.endpoint([text(hostile)]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Hurt me');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  const notices = page.getByTestId('markdown-rest');
  assert.equal(await notices.count(), 3);
  const rows = page.locator('.prose tr');
  assert.equal(await rows.count(), 1_000);
  await notices.nth(1).getByRole('button').click();
  await until('all rows are shown', async () => (await rows.count()) === 5_001);
  assert.equal(await notices.count(), 2);
});

test('an answer with marks that turn or pile up stays in its place', async (t) => {
  const zalgo = `Z${'\u0335\u0321\u0360'.repeat(400)}algo`;
  const endpoint = await t.endpoint([text(`Run \`a\u202eb\` now \u202egpj.exe\n\nשלום עולם\n\n${zalgo}\n\nThat was all.`)]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Turn around');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  const blocks = page.locator('.prose__block');
  assert.match(await blocks.nth(0).textContent(), /a\ufffdb now \ufffdgpj\.exe/);
  const sides = await blocks.nth(1).evaluate((block) => {
    const range = document.createRange();
    range.selectNodeContents(block.querySelector('p'));
    const [words, all] = [range.getBoundingClientRect(), block.getBoundingClientRect()];
    return { left: words.left - all.left, right: all.right - words.right };
  });
  assert.ok(sides.right < sides.left, 'text written from the right begins at the right');
  const height = await blocks.nth(2).evaluate((block) => block.getBoundingClientRect().height);
  assert.ok(height < 60, `a line of ${height} px`);
  // What it piles up is not drawn over its neighbours.
  assert.equal(await blocks.nth(2).evaluate((block) => getComputedStyle(block).contentVisibility), 'auto');
});
