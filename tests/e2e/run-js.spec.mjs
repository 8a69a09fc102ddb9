// Scripts of the model: what they see of the files, what comes of them, and how they end.

import assert from 'node:assert/strict';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { cardText, fileRow, importFiles, openFile, send, setApproval, setup, toolCards, waitShown, waitStopped } from './app.mjs';

/** Has the model run each script in a message of its own, and gives what it was told. */
async function ran(t, scripts, files = {}) {
  const endpoint = await t.endpoint([...scripts.map((code) => calls(call('run_js', { code }))), text('Done.')]);
  const page = await t.open();
  await setup(page, endpoint);
  if (Object.keys(files).length > 0) await importFiles(page, files);
  await send(page, 'Run them');
  await waitStopped(page, 'Completed');
  return { page, told: endpoint.requests.slice(1).map((request) => lastResults(request.body)[0]) };
}

test('the value of a script is told, however it ends', async (t) => {
  const scripts = [
    '6 * 7', 'const a = [1, "two"];\na', 'return { a: new Map([["k", 1]]) }', 'await Promise.resolve("late")',
    'for (const n of [1, 2]) console.log(n)', 'console.warn("careful", { n: 1 }); null', 'const f = () => 1;\n[1, 2].map((n) => n * 2) // twice',
    'function g() { return 3 }\ng();',
  ];
  const { told } = await ran(t, scripts);
  assert.deepEqual(told, [
    '→ 42', '→ [1, "two"]', '→ {a: Map {"k" => 1}}', '→ late', '1\n2', 'warn: careful {n: 1}\n→ null', '→ [2, 4]', '→ 3',
  ]);
});

test('errors tell their line', async (t) => {
  const { told } = await ran(t, ['const a = 1;\nnull.x', 'let b = 2;\nlet c = ;', 'console.log("so far");\nawait files.read("none.txt")', 'throw "bare"']);
  assert.match(told[0], /^Error: TypeError: .*\(line 2\)\nNothing was written\.$/);
  assert.match(told[1], /^Error: SyntaxError: .*\(line 2\)/);
  assert.match(told[2], /^Error: Error: there is no file none\.txt.*\nNothing was written\.\nConsole:\nso far$/);
  assert.match(told[3], /^Error: thrown: bare/);
});

test('a script reads and writes files, and the question shows what it changes', async (t) => {
  const code = `const rows = (await files.read('data.csv')).trim().split('\\n').map((row) => row.split(','));
const sum = rows.reduce((sum, [, n]) => sum + Number(n), 0);
await files.write('out/sum.txt', 'sum: ' + sum + '\\n');
await files.write('pixel.bin', new Uint8Array([0, 255, 10]));
console.log(await files.list('out'));
await files.delete('old.txt');
[...(await files.bytes('pixel.bin'))]`;
  const endpoint = await t.endpoint([calls(call('run_js', { code })), text('Summed.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'data.csv': 'a,1\nb,41\n', 'old.txt': 'old\n' });
  await setApproval(page, 'writes');
  await send(page, 'Sum it up');
  const diff = page.locator('[data-testid="diff-file"][data-path="out/sum.txt"]');
  await diff.waitFor();
  assert.match(await diff.innerText(), /sum: 42/);
  await page.locator('[data-testid="diff-file"][data-path="old.txt"][data-kind="deleted"]').waitFor();
  assert.equal(await fileRow(page, 'out/sum.txt').count(), 0, 'nothing is written before the answer');
  await page.getByTestId('approval-allow').click();
  await waitStopped(page, 'Completed');

  const [told] = lastResults(endpoint.requests[1].body);
  assert.equal(told, '["out/sum.txt"]\n→ [0, 255, 10]\n[deleted old.txt, wrote out/sum.txt (8 bytes), wrote pixel.bin (3 bytes)]');
  assert.deepEqual(await toolCards(page), ['run_js ok']);
  const card = page.getByTestId('tool-card');
  assert.match(await card.innerText(), /Ran script/);
  assert.match(await cardText(card, 'tool-args'), /files\.read\('data\.csv'\)/);
  assert.equal(await fileRow(page, 'old.txt').count(), 0);
  await fileRow(page, 'out/sum.txt').waitFor();
  await openFile(page, 'out/sum.txt');
  await waitShown(page, 'sum: 42\n');
});

test('a script that throws leaves the files as they were', async (t) => {
  const { page, told } = await ran(t, ['await files.write("a.txt", "new"); throw new Error("half way")'], { 'a.txt': 'as it was' });
  assert.match(told[0], /half way.*\nNothing was written\./);
  await openFile(page, 'a.txt');
  await waitShown(page, 'as it was');
});

test('a loop without an end is ended after 30 s, and the page works meanwhile', async (t) => {
  const site = await t.serveHurried();
  const endpoint = await t.endpoint([calls(call('run_js', { code: 'for (;;);' })), text('Ended.')]);
  const page = await t.open({ url: site.url });
  await setup(page, endpoint);
  await send(page, 'Run it');
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[1].body)[0], /^Error: the script took longer than 30 s and was ended/);
  assert.equal(await page.locator('iframe').count(), 0);
});

test('Stop ends a script at once', async (t) => {
  const endpoint = await t.endpoint([calls(call('run_js', { code: 'console.log("on"); for (;;);' })), text('Never.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Run it');
  await page.locator('iframe').waitFor({ state: 'attached' });
  await until('the card runs', async () => (await toolCards(page))[0] === 'run_js running');
  await page.getByTestId('composer-stop').click();
  await waitStopped(page, 'Cancelled');
  assert.equal(await page.locator('iframe').count(), 0);
});

test('a sandbox that can not be loaded is told', async (t) => {
  const endpoint = await t.endpoint([calls(call('run_js', { code: '1' })), text('Seen.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await page.route('**/sandbox-*.html', (route) => route.abort());
  await send(page, 'Run it');
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[1].body)[0], /^Error: the sandbox could not be loaded/);
});
