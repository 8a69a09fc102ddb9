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

/** Each case between two lines that must be drawn as they are; what it leaves open is closed behind it. */
const CLOSERS = ['-->', '</script>', '</style>', '</textarea>', '</pre>', '?>', ']]>'].join('\n\n');
const framed = (n) => `Case ${n} begins.\n\n${corpus[n].text}\n\nCase ${n} ends.\n\n${CLOSERS}\n\n`;

/** A word that must be seen of a case, as long as all of it is drawn. */
const wordOf = (text) => text.replace(/&#?\w+;/g, ' ').match(/[a-z]+/i)?.[0];

/** Runs in the page: what is drawn of case `n`, and whether the line before it is a paragraph of its own. */
function drawnOf(n) {
  const blocks = [...document.querySelectorAll('[data-testid=message-assistant] .prose__block')];
  const begins = blocks.findIndex((block) => block.textContent === `Case ${n} begins.`);
  let text = '';
  let lines = 0;
  for (const block of blocks.slice(begins + 1)) {
    const end = block.textContent.indexOf(`Case ${n} ends.`);
    text += block.textContent.slice(0, end < 0 ? undefined : end);
    lines += block.querySelectorAll('br').length;
    if (end >= 0) return { isApart: blocks[begins]?.firstElementChild?.tagName === 'P', text, lines };
  }
  return { isApart: false, text: '', lines };
}

test('an answer of all known tricks runs nothing and asks nobody', async (t) => {
  assert.ok(corpus.length >= 200, `${corpus.length} cases`);
  // A case a message of its own would take long: a hundred at a time, apart from one another.
  const parts = [];
  for (let at = 0; at < corpus.length; at += 100) parts.push([...corpus.keys()].slice(at, at + 100));
  const endpoint = await t.endpoint(parts.map((part, n) => text(`${part.map(framed).join('')}That was part ${n}.`)));
  const page = await t.open();
  await setup(page, endpoint);
  for (const n of parts.keys()) {
    await send(page, `Part ${n}`);
    await waitStopped(page, 'Completed');
    await waitAnswer(page, `That was part ${n}.`);
  }
  for (const [n, { text }] of corpus.entries()) {
    const drawn = await page.evaluate(drawnOf, n);
    assert.ok(drawn.isApart, `case ${n} is drawn by itself: ${text}`);
    const isLine = /^<br\b/.test(text) && drawn.lines > 0;
    assert.ok(isLine || drawn.text.includes(wordOf(text)), `case ${n} is seen: ${text}, as ${drawn.text}`);
  }
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
  // Nor are the names of hosts in links looked up.
  assert.equal(await page.locator('meta[http-equiv="x-dns-prefetch-control"]').getAttribute('content'), 'off');
});

/** Runs in the page: notes what changes in blocks that were no longer at the end, and blocks that go. */
function watchBlocks() {
  window.taken = [];
  window.notices = 0;
  const places = new Map();
  new MutationObserver((records) => {
    const before = places.size;
    for (const { target, addedNodes, removedNodes, type } of records) {
      window.notices += [...addedNodes].filter((node) => node.matches?.('.prose__rest')).length;
      const whole = [...removedNodes].filter((node) => node.matches?.('.prose__block'));
      const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
      // Colours come when all is there; that the text stays is looked at behind the end.
      const isColour = element?.closest('code[data-coloured]');
      const changed = (type === 'characterData' || removedNodes.length > 0) && !isColour ? [element?.closest('.prose__block')] : [];
      for (const block of [...whole, ...changed]) {
        if (block && places.get(block) < before - 2) window.taken.push(block.textContent.slice(0, 60));
      }
    }
    document.querySelectorAll('.prose__block').forEach((block, at) => places.set(block, at));
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
  const code = await page.locator('.prose .code code').allTextContents();
  assert.deepEqual(code, Array.from({ length: 40 }, (_, n) => `fn part_${n}() {}`));
});

test('code is coloured once it is there, and nothing of it changes', async (t) => {
  const lines = Array.from({ length: 100 }, (_, n) => `fn part_${n}() -> &'static str { "<b>${n}</b>" } // the ${n}th`);
  const code = lines.join('\n');
  const endpoint = await t.endpoint([
    text(`\`\`\`rust\n${code}\n\`\`\`\n\n- in a list:\n\n  \`\`\`js\n  const a = 1;\n  \`\`\`\n\n\`\`\`nosuchlanguage\nfn x\n\`\`\`\n\n\`\`\`\nfn y\n\`\`\`\n\nThat was all.`),
  ], { cut: 'random' });
  const page = await t.open();
  assert.deepEqual(t.urls.filter((url) => /answers/.test(url)), []);
  await setup(page, endpoint);
  await send(page, 'Show me code');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  const blocks = page.locator('.prose .code code');
  const kinds = (n) => blocks.nth(n).evaluate((code) => Object.fromEntries([...code.querySelectorAll('span > span')].map((span) => [span.textContent, getComputedStyle(span).color])));
  await blocks.nth(1).scrollIntoViewIfNeeded();
  await until('code in a list is coloured', async () => (await kinds(1)).const);
  await blocks.nth(0).scrollIntoViewIfNeeded();
  const rust = await until('code is coloured to its end', async () => {
    const found = await kinds(0);
    return found['// the 99th'] && found;
  });
  const colours = [rust.fn, rust['"<b>7</b>"'], rust['// the 99th']];
  assert.equal(new Set(colours).size, 3, `keywords, strings and comments look different: ${colours}`);
  assert.equal(await blocks.nth(0).textContent(), code);
  assert.deepEqual([await kinds(2), await kinds(3)], [{}, {}]);
});

test('code is copied whole, however much of it is shown', async (t) => {
  const code = `${Array.from({ length: 6_000 }, (_, n) => `line ${n} <&>`).join('\n')}\n`;
  const endpoint = await t.endpoint([text(`\`\`\`\n${code}\`\`\`\n\n- a\n\n      first\n\n  \`\`\`\n  second\n  \`\`\`\n\nThat was all.`)]);
  const page = await t.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await setup(page, endpoint);
  await send(page, 'Show me code');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  const blocks = page.locator('.prose .code');
  assert.ok((await blocks.nth(0).locator('code').textContent()).length < code.length);
  const copied = async (n, name) => {
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await blocks.nth(n).getByRole('button').click();
    return until(`${name} is copied`, () => page.evaluate(() => navigator.clipboard.readText()));
  };
  assert.equal(await copied(2, 'the last'), 'second\n');
  assert.equal(await copied(1, 'the second'), 'first\n');
  assert.ok(await copied(0, 'the long one') === code, 'all lines are copied');
});

test('boxes of tasks have names, and only what is too wide is a stop of the Tab key', async (t) => {
  const wide = `| ${'a very wide column of words | '.repeat(12)}\n|${'---|'.repeat(12)}\n`;
  const endpoint = await t.endpoint([text(`- [x] one\n- [ ] two\n\n---\n\n- [x] three\n\n- [ ] four\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${wide}\n\`\`\`\nshort\n\`\`\`\n\n\`\`\`\n${'long '.repeat(200)}\n\`\`\`\n\nThat was all.`)]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'What is to be done?');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  assert.equal(await page.getByRole('checkbox', { name: 'Done', exact: true }).count(), 2);
  assert.equal(await page.getByRole('checkbox', { name: 'Not done', exact: true }).count(), 2);
  const markers = await page.locator('.prose li').evaluateAll((items) => items.map((item) => getComputedStyle(item).listStyleType));
  assert.deepEqual(markers, ['none', 'none', 'none', 'none']);
  const stops = () => page.locator('.prose :is(.prose__table, .code__text)').evaluateAll((all) => all.map((each) => each.tabIndex));
  await until('the wide ones are stops', async () => (await stops()).join() === '-1,0,-1,0');
});

test('many long messages are drawn a little a frame, and all of them', async (t) => {
  const long = (n) => `${Array.from({ length: 40 }, (_, k) => `Part ${k} of ${n}: ${'some words that say much '.repeat(40)}`).join('\n\n')}\n\nThat was ${n}.`;
  const count = 8;
  const endpoint = await t.endpoint(Array.from({ length: count }, (_, n) => text(long(n))));
  const page = await t.open();
  await setup(page, endpoint);
  for (let n = 0; n < count; n += 1) {
    await send(page, `Message ${n}`);
    await waitAnswer(page, `That was ${n}.`);
    await waitStopped(page, 'Completed');
  }
  await page.addInitScript(() => {
    window.drawn = [];
    const look = () => {
      window.drawn.push([...document.querySelectorAll('.prose__block')].reduce((sum, block) => sum + block.textContent.length, 0));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.reload();
  await until('all is drawn', () => page.evaluate((count) => {
    const texts = [...document.querySelectorAll('.prose:not(.prose--plain)')].map((prose) => prose.textContent);
    return texts.length === count && texts.every((text, n) => text.endsWith(`That was ${n}.`));
  }, count));
  const drawn = await page.evaluate(() => window.drawn);
  const most = Math.max(...drawn.map((sum, at) => sum - (drawn[at - 1] ?? 0)));
  // What was begun before the first frame comes on top of what belongs to it.
  assert.ok(most > 0 && most < 110_000, `${most} characters at once`);
});

test('an answer stands as it was written until what draws it is there, and is drawn then', async (t) => {
  const endpoint = await t.endpoint([text('## A title\n\nSome **bold** words.\n\nThat was all.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Tell me');
  await waitStopped(page, 'Completed');
  let release;
  const held = new Promise((done) => (release = done));
  await page.context().route(/tabloop-[^/]*\.wasm$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  const plain = page.locator('.prose--plain');
  await plain.waitFor();
  assert.equal(await plain.evaluate((text) => text.innerText), '## A title\n\nSome **bold** words.\n\nThat was all.');
  release();
  await page.locator('.prose h3').waitFor();
  assert.equal(await page.locator('.prose strong').textContent(), 'bold');
  assert.equal(await plain.count(), 0);
});

test('what is cut while it grows tells so once, and what was left out is counted on', async (t) => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `| ${n} | some words |`).join('\n');
  const endpoint = await t.endpoint([text(`| a | b |\n|---|---|\n${rows}\n\nThat was all.`)], { cut: 1_000 });
  const page = await t.open();
  await page.evaluate(watchBlocks);
  await setup(page, endpoint);
  await send(page, 'Tell me much');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  assert.equal(await page.evaluate(() => window.notices), 1);
  const notice = page.getByTestId('markdown-rest');
  assert.match(await notice.textContent(), /^4\d(?:\.\d)? KB more/);
  await notice.getByRole('button').click();
  await until('all rows are shown', async () => (await page.locator('.prose tr').count()) === 3_001);
  assert.equal(await notice.count(), 0);
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

test('formulas are set, and stand as they were written where they can not be read', async (t) => {
  const hostile = ['\\href{javascript:window.injected=1}{x}', '\\includegraphics{https://tracker.example/p.png}', '\\class{offstage}{x}', '\\style{position:fixed}{x}'];
  const answer = [
    'So $x^2 + y_1$ and \\(\\frac{a}{b}\\) hold, for $5 or $6.',
    '$$\n\\begin{aligned} a &= b \\\\ &= c \\end{aligned}\n$$',
    '\\[\n\\sum_{n=1}^{10} n\n\\]',
    'Not $\\frac{a$ but',
    ...hostile.map((each) => `$${each}$`),
    'That was all.',
  ].join('\n\n');
  const endpoint = await t.endpoint([text(answer)], { cut: 'random' });
  const page = await t.open();
  assert.deepEqual(t.urls.filter((url) => /answers-/.test(url)), []);
  await setup(page, endpoint);
  await send(page, 'Prove it');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  const formulas = page.locator('.prose math');
  await until('formulas are set', async () => (await formulas.count()) >= 4);
  const shapes = await formulas.evaluateAll((all) => all.slice(0, 4).map((math) => [math.namespaceURI, ['msup', 'mfrac', 'mtable', 'munderover'].filter((name) => math.querySelector(name))]));
  const mathml = 'http://www.w3.org/1998/Math/MathML';
  assert.deepEqual(shapes, [[mathml, ['msup']], [mathml, ['mfrac']], [mathml, ['mtable']], [mathml, ['munderover']]]);
  const first = page.locator('.prose p').first();
  assert.match(await first.textContent(), /hold, for \$5 or \$6\.$/);
  assert.equal(await page.locator('.prose__math', { hasText: '\\frac{a' }).textContent(), '$\\frac{a$');
  const found = await page.locator('.prose math, .prose math *').evaluateAll((all) => all.flatMap((element) =>
    [...element.attributes].filter(({ name }) => /^(?:on|href|src|xlink|id)/.test(name)).map(({ name }) => name)));
  assert.deepEqual(found, []);
  assert.equal(await page.evaluate(() => window.injected), undefined);
  assert.deepEqual(t.urls.filter((url) => /tracker/.test(url)), []);
});
