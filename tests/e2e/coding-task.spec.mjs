// A whole coding task: a project comes in as a zip, the agent searches, edits, patches, tests and
// previews it, the user reviews what was done and takes one place back, and a zip goes out in which
// every byte is as it should be.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { cardText, fileRow, openFile, reload, send, setup, toolCards, waitShown, waitStopped } from './app.mjs';
import { COUNT, ROOT, project } from './project.mjs';
import { unzip, zip } from './zip.mjs';

const at = (path) => `${ROOT}/${path}`;
const edit = (path, ...edits) => call('edit_file', { path: at(path), edits });
const swap = (old_text, new_text, all) => ({ old_text, new_text, ...(all && { all }) });
const read = (path) => call('read_file', { path: at(path) });
const check = () => call('bash', { command: `cd /workspace/${ROOT} && bash tests/run.sh` });
const preview = () => call('preview', { path: at('web/report.html') });

const EDITS = {
  'src/js/totals.mjs': [
    swap('function addUp(lines)', 'function sumUp(lines)'),
    swap('    sum += line.price;\n  }', '    sum += line.price * line.count;\n  }'),
    swap('addUp(lines) * times', 'sumUp(lines) * times'),
  ],
  'src/js/format.mjs': [
    swap("export const CURRENCY = 'EUR';\n", "export const CURRENCY = 'EUR';\nexport const SIGN = '€';\n"),
    swap("return cents / 100 + ' ' + CURRENCY;", "return (cents / 100).toFixed(2) + ' ' + SIGN;"),
  ],
  'src/js/tax.mjs': [swap('addUp', 'sumUp', true)],
  'src/py/tally.py': [swap('def add_up', 'def sum_up'), swap('line["price"]', 'line["price"] * line["count"]')],
  'docs/说明/用法 指南.md': [swap('addUp', 'sumUp', true)],
};

const PATCH = `--- a/${ROOT}/VERSION
+++ b/${ROOT}/VERSION
@@ -1 +1 @@
-1.4.0
+1.5.0
--- a/${ROOT}/README.md
+++ b/${ROOT}/README.md
@@ -3,9 +3,9 @@
 Adds up the lines of a bill.
 
-Version 1.4.0
+Version 1.5.0
 
 ## Use
 
-Call \`addUp(lines)\` for the sum in cents,
+Call \`sumUp(lines)\` for the sum in cents,
 and \`money(cents)\` for the text of it.
 
--- a/${ROOT}/CHANGES.md
+++ b/${ROOT}/CHANGES.md
@@ -1,4 +1,8 @@
 # Changes
 
+## 1.5.0
+
+- Sums count each item.
+
 ## 1.4.0
 
--- a/${ROOT}/src/js/version.mjs
+++ b/${ROOT}/src/js/version.mjs
@@ -1,2 +1,2 @@
 // Written by the release.
-export const VERSION = '1.4.0';
+export const VERSION = '1.5.0';
--- a/${ROOT}/web/report.mjs
+++ b/${ROOT}/web/report.mjs
@@ -1,4 +1,4 @@
-import { addUp } from '../src/js/totals.mjs';
+import { sumUp } from '../src/js/totals.mjs';
 import { money } from '../src/js/format.mjs';
 
 const lines = await (await fetch('bill.json')).json();
@@ -7,4 +7,4 @@
   item.textContent = count + ' × ' + name;
   document.getElementById('lines').append(item);
 }
-document.getElementById('total').textContent = 'Total ' + money(addUp(lines));
+document.getElementById('total').textContent = 'Total ' + money(sumUp(lines));
--- /dev/null
+++ b/${ROOT}/docs/migration.md
@@ -0,0 +1,3 @@
+# From 1.4 to 1.5
+
+Sums come from \`sumUp\` now.
--- a/${ROOT}/src/js/old-sum.mjs
+++ /dev/null
@@ -1,2 +0,0 @@
-// Kept for those who call it by the old place.
-export { addUp as default } from './totals.mjs';
`;

/** The files as they must be in the end, worked out by hand; the user took the second place of format.mjs back. */
function expected(files) {
  const after = new Map(files);
  const put = (path, change) => after.set(at(path), Buffer.from(change(files.get(at(path))?.toString())));
  const all = (pairs) => (text) => pairs.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), from);
    return text.replaceAll(from, to);
  }, text);
  put('src/js/totals.mjs', all([['addUp', 'sumUp'], ['line.price', 'line.price * line.count']]));
  put('src/js/format.mjs', all([["'EUR';\r\n", "'EUR';\r\nexport const SIGN = '€';\r\n"]]));
  put('src/js/tax.mjs', all([['addUp', 'sumUp']]));
  put('src/py/tally.py', all([['add_up', 'sum_up'], ['line["price"]', 'line["price"] * line["count"]']]));
  put('docs/说明/用法 指南.md', all([['addUp', 'sumUp']]));
  put('VERSION', () => '1.5.0\n');
  put('README.md', all([['addUp', 'sumUp'], ['1.4.0', '1.5.0']]));
  put('CHANGES.md', all([['# Changes\n\n', '# Changes\n\n## 1.5.0\n\n- Sums count each item.\n\n']]));
  put('src/js/version.mjs', all([['1.4.0', '1.5.0']]));
  put('web/report.mjs', all([['addUp', 'sumUp'], ["'total'", "'grand-total'"]]));
  put('docs/migration.md', () => '# From 1.4 to 1.5\n\nSums come from `sumUp` now.\n');
  put('tests/last-run.txt', () => 'all tests passed in 1.5.0\n');
  after.delete(at('src/js/old-sum.mjs'));
  return after;
}

/** What the changes must list: lines that came and went, by path. */
const CHANGED = {
  'CHANGES.md': 'changed +4', 'README.md': 'changed +2 −2', VERSION: 'changed +1 −1',
  'docs/migration.md': 'new +3', 'docs/说明/用法 指南.md': 'changed +2 −2', 'src/js/format.mjs': 'changed +2 −1',
  'src/js/old-sum.mjs': 'deleted −2', 'src/js/tax.mjs': 'changed +2 −2', 'src/js/totals.mjs': 'changed +3 −3',
  'src/js/version.mjs': 'changed +1 −1', 'src/py/tally.py': 'changed +2 −2', 'tests/last-run.txt': 'new +1',
  'web/report.mjs': 'changed +2 −2',
};

/** Drops a file on the pane, as a user does. */
const drop = (page, name, bytes) => page.evaluate(([name, packed]) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0))], name));
  const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
  const pane = document.querySelector('.workspace');
  for (const kind of ['dragenter', 'dragover', 'drop']) pane.dispatchEvent(event(kind));
}, [name, bytes.toString('base64')]);

async function exported(page) {
  const saving = page.waitForEvent('download');
  await page.getByTestId('export-zip').click();
  return unzip(await readFile(await (await saving).path()));
}

/** The rounds of the task; `seen` is awaited where the user looks first. */
const script = (seen) => [
  () => calls(call('list_dir', { path: ROOT }), call('grep', { pattern: 'add_?[Uu]p', path: ROOT, mode: 'count' })),
  () => calls(...Object.keys(EDITS).map(read)),
  () => calls(read('tests/run.sh'), check()),
  () => calls(...Object.entries(EDITS).map(([path, edits]) => edit(path, ...edits))),
  () => calls(...['VERSION', 'README.md', 'CHANGES.md', 'src/js/version.mjs', 'web/report.mjs', 'src/js/old-sum.mjs'].map(read)),
  () => calls(call('apply_patch', { patch: PATCH })),
  () => calls(check()),
  () => calls(preview()),
  async () => {
    await seen;
    return calls(edit('web/report.mjs', swap("'total'", "'grand-total'")));
  },
  () => calls(preview()),
  () => text('The sums count each item now, and the report shows its total.'),
];

/** Looks at what each round told the model. */
function judgeResults(told) {
  assert.match(told[0][1], /^12 matching lines in 8 files/);
  assert.doesNotMatch(told[0][1], /build|\.log|\.bin/);
  assert.match(told[1][1], /lines end with CRLF/);
  assert.match(told[1][2], /begins with a byte order mark/);
  assert.match(told[2][1], /^exit code 1, now in \/workspace\/ledger-kit\nstdout:\nFAIL sums\nFAIL 7 files use the old name\nFAIL totals\.mjs leaves out the count\nstderr:\n[\s\S]*sum_up/);
  told[3].forEach((result) => assert.match(result, /^Edited ledger-kit\//));
  for (const path of ['VERSION', 'README.md', 'docs/migration.md', 'src/js/old-sum.mjs']) assert.ok(told[5][0].includes(at(path)), path);
  assert.match(told[6][0], /^exit code 0[^\n]*\nstdout:\nsums: right\nall tests passed in 1\.5\.0\n\[changed: [^\n]*tests\/last-run\.txt/);
  assert.match(told[7][0], /error: Uncaught[^\n]*TypeError: Cannot set properties of null[^\n]*\(ledger-kit\/web\/report\.mjs:10:\d+\)/);
  assert.doesNotMatch(told[9][0], /error/i);
  assert.match(told[9][0], /Visible text:\nBill\n[\s\S]*2 × Tea\n[\s\S]*4 × Crème brûlée\n[\s\S]*Total 32\.00 €$/);
}

test('a coding task: a zip in, search, edits, patch, tests, preview, review, and a zip out that is right byte for byte', async (t) => {
  const files = project();
  assert.equal(files.size, COUNT);
  let go;
  const steps = script(new Promise((resolve) => { go = resolve; }));
  const endpoint = await t.endpoint((_, n) => steps[n - 1]());
  const page = await t.open({ viewport: { width: 1400, height: 900 } });
  t.expectedErrors.push(/Cannot set properties of null/);
  await setup(page, endpoint);

  await drop(page, `${ROOT}.zip`, zip({ [`${ROOT}/out/`]: '', ...Object.fromEntries(files) }));
  await page.getByTestId('toast').filter({ hasText: `${COUNT} files added: ${ROOT}` }).waitFor();
  await fileRow(page, ROOT).waitFor();
  const before = await exported(page);
  assert.deepEqual(Object.keys(before).sort(), [`${ROOT}/out/`, ...files.keys()].sort());

  await send(page, 'The sums leave out how many there are of each item. Mend that, and call addUp sumUp.');
  const frame = page.frameLocator('[data-testid="preview"] iframe');
  await frame.getByText('4 × Crème brûlée').waitFor();
  assert.equal(await frame.getByText('Total').count(), 0, 'the page broke before its total');
  go();
  await waitStopped(page, 'Completed');
  await frame.getByText('Total 32.00 €').waitFor();
  judgeResults(steps.slice(1).map((_, n) => lastResults(endpoint.requests[n + 1].body)));
  await judgeCards(page);

  await review(page);
  await page.getByTestId('view-files').click();
  await judgeExport(await exported(page), files);

  await reload(page);
  await page.getByTestId('view-changes').click();
  await until('the changes are still listed', async () => (await listed(page)).length === Object.keys(CHANGED).length);
});

/** The cards say how each call went, and the shell's show the code and the output. */
async function judgeCards(page) {
  const cards = await toolCards(page);
  assert.deepEqual(cards.filter((card) => !/^\w+ ok$/.test(card)), [], 'nothing failed as a call');
  const shells = page.locator('[data-testid="tool-card"][data-tool="bash"]');
  assert.match(await shells.nth(0).innerText(), /exit code 1/);
  assert.match(await cardText(shells.nth(0), 'tool-stdout'), /FAIL 7 files use the old name/);
  assert.match(await cardText(shells.nth(1), 'tool-stdout'), /all tests passed in 1\.5\.0/);
  assert.doesNotMatch(await shells.nth(1).innerText(), /exit code 1/);
  const previews = page.locator('[data-testid="tool-card"][data-tool="preview"]');
  assert.match(await previews.nth(0).innerText(), /1 error/);
  assert.doesNotMatch(await previews.nth(1).innerText(), /error/);
  const round = (n) => page.locator(`[data-testid="round-card"][data-round="${n}"]`).innerText();
  assert.match(await round(2), /Read 5 files/);
  assert.match(await round(4), /Edited 5 files/);
}

const change = (page, path) => page.getByTestId('changes-view').locator(`[data-testid="diff-file"][data-path="${at(path)}"]`);

const listed = (page) => page.getByTestId('changes-view').getByTestId('diff-file').evaluateAll((all) =>
  all.map((file) => [file.dataset.path, file.dataset.kind, file.querySelector('.change__head').innerText]));

/** Looks the changes through, and takes the second place of a file with CRLF back. */
async function review(page) {
  await page.getByTestId('review-changes').click();
  await page.getByTestId('changes-list').waitFor();
  const seen = {};
  await until('all changes are listed with their lines', async () => {
    for (const [path, kind, all] of await listed(page)) {
      seen[path.slice(ROOT.length + 1)] = [kind, ...(all.match(/[+−]\d+/g) ?? [])].join(' ');
    }
    return Object.keys(CHANGED).every((path) => /\d/.test(seen[path] ?? ''));
  });
  assert.deepEqual(seen, CHANGED);
  assert.equal(await page.getByTestId('changes-count').innerText(), String(Object.keys(CHANGED).length));

  const names = await page.getByTestId('changes-view').locator('.filediff__path .cut__end').allInnerTexts();
  assert.ok(names.includes('/format.mjs'), 'where a path is cut, the name of its file stays');
  const hunks = change(page, 'src/js/format.mjs').getByTestId('diff-hunk');
  await until('both places are shown', async () => (await hunks.count()) === 2);
  await hunks.nth(1).getByTestId('hunk-revert').click();
  await page.getByTestId('toast').filter({ hasText: 'Changes in 1 file were taken back.' }).waitFor();
  await until('one place is left', async () => (await hunks.count()) === 1);
  assert.match(await hunks.innerText(), /SIGN = '€'/);
}

/** Compares the zip entry by entry. */
async function judgeExport(there, files) {
  const wanted = expected(files);
  assert.deepEqual(Object.keys(there).sort(), [`${ROOT}/out/`, ...wanted.keys()].sort());
  for (const [path, content] of wanted) assert.ok(there[path].equals(content), `${path} is not as it should be:\n${there[path]}`);
  const untouched = [...files].filter(([path, content]) => there[path]?.equals(content));
  assert.equal(untouched.length, COUNT - 11);
}
