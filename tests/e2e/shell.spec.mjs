// The shell, as it is built: commands with the right output (tests/shell/commands.json), those that
// never end, folder and variables, what the user is asked and sees, and a shell that can't be loaded.

import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { DIST, test, until } from './harness.mjs';
import {
  cardText, fileRow, importFiles, openFile, reload, send, setApproval, setup, shownText, toolCards, waitCutOff, waitStopped,
} from './app.mjs';

const { files, cases } = JSON.parse(await readFile(new URL('../shell/commands.json', import.meta.url), 'utf8'));

const bash = (command, timeout_s) => call('bash', timeout_s ? { command, timeout_s } : { command });
const write = ([path, content]) => call('write_file', { path, content });

/** Has the model make these calls, a list a round, and gives back the results of each round. */
async function ran(t, rounds, { open = () => t.open(), before = async () => {} } = {}) {
  const endpoint = await t.endpoint([...rounds.map((round) => calls(...round)), text('Done.')]);
  const page = await open();
  await setup(page, endpoint);
  await before(page);
  await send(page, 'Go');
  await waitStopped(page, 'Completed');
  return { page, endpoint, told: rounds.map((_, n) => lastResults(endpoint.requests[n + 1].body)) };
}

/** A result in parts. */
function parts(told) {
  const [, code, rest] = told.match(/^(?:\[a new shell[^\n]*\n)?exit code (\d+)[^\n]*\n?([\s\S]*)$/) ?? assert.fail(told);
  const output = rest.replace(/\n?\[changed: [^\n]*\]$/, '').replace(/^\(no output\)/, '');
  const [, out = '', err = ''] = output.match(/^(?:stdout:\n([\s\S]*?))?(?:\n?stderr:\n([\s\S]*))?$/);
  return { code: Number(code), stdout: out, stderr: err };
}

test('realistic commands give what GNU\'s tools give', async (t) => {
  const { told } = await ran(t, [Object.entries(files).map(write), cases.map(({ command }) => bash(command))]);
  const wrong = cases.flatMap(({ command, stdout, stderr, exit = 0 }, n) => {
    const got = parts(told[1][n]);
    const isRight = got.code === exit && got.stdout === stdout.replace(/\n+$/, '') && Boolean(got.stderr) === Boolean(stderr);
    return isRight ? [] : [{ command, wanted: { exit, stdout, stderr }, got }];
  });
  assert.ok(cases.length >= 60);
  assert.deepEqual(wrong, []);
});

test('every command that the description names is there', async (t) => {
  const names = async () => {
    const endpoint = await t.endpoint([text('Hello.')]);
    const page = await t.open();
    await setup(page, endpoint);
    await send(page, 'Hello');
    await waitStopped(page, 'Completed');
    const { description } = endpoint.requests[0].body.tools.map((tool) => tool.function).find(({ name }) => name === 'bash');
    return description.match(/and: ([^.]*)\./)[1];
  };
  const list = await names();
  assert.ok(list.split(' ').length > 70, list);
  const look = `for c in ${list}; do "$c" --help </dev/null >/dev/null 2>&1; [ $? -eq 127 ] && echo "$c"; done; true`;
  const { told } = await ran(t, [[bash(look), bash('git status; a=$?; node -v; b=$?; curl http://localhost && echo reached; echo $a $b')]]);
  assert.equal(told[0][0], 'exit code 0\n(no output)');
  assert.equal(parts(told[0][1]).stdout, '127 127');
});

const RUNAWAYS = [
  'yes', 'cat /dev/zero', 'while :; do :; done', ':(){ :|:& };:', 'sleep 3600', "python3 -c 'while True: pass'",
  'echo before; while true; do echo -n; done', "x=a; while :; do x=$x$x; done",
];

test('what never ends is ended within a second of its limit, and told', async (t) => {
  const { endpoint, told } = await ran(t, [[bash('true')], ...RUNAWAYS.flatMap((command) => [[bash(command, 1)], [bash('echo fine')]])]);
  RUNAWAYS.forEach((command, n) => {
    const took = endpoint.requests[2 * n + 2].arrivedAt - endpoint.requests[2 * n + 1].arrivedAt;
    // A second of its own, and one to be ended in.
    assert.ok(took < 2_000, `${command} took ${took} ms`);
    const [result] = told[2 * n + 1];
    assert.match(told[2 * n + 2][0], /exit code 0\nstdout:\nfine$/, command);
    assert.match(result, /^(Error: the command was ended after 1 second|Error: the shell broke down|(\[a new shell.*\n)?exit code)/, command);
  });
  assert.match(told[5][0], /^Error: the command was ended after 1 second, its limit, and nothing was changed/);
  assert.match(told[13][0], /Till then it had printed:\nstdout:\nbefore$/);
});

test('folder, variables and functions last for a run, and not for the next', async (t) => {
  const first = 'mkdir -p a/b && cd a/b && export COLOR=red && n=1 && twice() { echo "$1$1"; } && echo x > /tmp/kept';
  const second = 'echo "$PWD $COLOR $n $(twice ab) $(cat /tmp/kept)"';
  const endpoint = await t.endpoint([calls(bash(first)), calls(bash(second)), text('Done.'), calls(bash(second)), text('Done.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Go');
  await waitStopped(page, 'Completed');
  const [told] = lastResults(endpoint.requests[2].body);
  assert.equal(told, 'exit code 0, now in /workspace/a/b\nstdout:\n/workspace/a/b red 1 abab x');
  await send(page, 'Again');
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[4].body)[0], /stdout:\n\/workspace {4}\nstderr:/);
  await fileRow(page, 'a/b').waitFor();
});

test('nothing leaves the workspace, and odd names stay out of it', async (t) => {
  const commands = [
    'ln -s /etc/passwd link', 'echo x > "$(printf "a\\nb")"', 'echo x > ../outside; echo x > /etc/new; mkdir /workspace2; ls / | wc -l',
    'mkdir CON; echo x > "end. "', 'tar cf t.tar /etc/passwd; tar xf t.tar -C /; cd /; tar xf /workspace/t.tar; ls /workspace',
  ];
  const { page, told } = await ran(t, [commands.map((command) => bash(command)), [call('list_dir', { depth: 9 })]]);
  assert.notEqual(parts(told[0][0]).code, 0);
  assert.notEqual(parts(told[0][1]).code, 0);
  assert.doesNotMatch(told[1][0], /link|outside|new|CON|end/);
  assert.equal(await fileRow(page, 'outside').count(), 0);
});

test('output streams into the card, which shows code and outputs apart', async (t) => {
  const endpoint = await t.endpoint([calls(bash('for n in 1 2 3; do echo "line $n"; sleep 1; done; echo oh >&2; exit 3')), text('Done.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Go');
  const card = page.getByTestId('tool-card');
  await card.getByTestId('tool-live').filter({ hasText: 'line 1' }).waitFor();
  assert.equal(await card.getAttribute('data-state'), 'running');
  assert.doesNotMatch(await card.getByTestId('tool-live').innerText(), /line 3/);
  await waitStopped(page, 'Completed');
  assert.match(await card.innerText(), /exit code 3/);
  assert.equal((await cardText(card, 'tool-stdout')).trim(), 'line 1\nline 2\nline 3');
  assert.equal((await card.getByTestId('tool-stderr').innerText()).trim(), 'oh');
  assert.equal(await card.getByTestId('tool-live').count(), 0);
});

test('the user is asked with the command and what it would change', async (t) => {
  const endpoint = await t.endpoint([
    calls(bash('cat poem.txt'), bash("sed -i 's/red/blue/' poem.txt && rm old.txt"), bash('echo more >> poem.txt')),
    text('Done.'),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await setApproval(page, 'writes');
  await importFiles(page, { 'poem.txt': 'roses are red\n', 'old.txt': 'old\n' });
  await send(page, 'Go');
  const card = page.getByTestId('approval-card');
  const diff = (path) => card.locator(`[data-testid="diff-file"][data-path="${path}"]`);
  await diff('poem.txt').filter({ hasText: 'roses are blue' }).waitFor();
  assert.equal(await diff('old.txt').getAttribute('data-kind'), 'deleted');
  assert.match(await card.getByTestId('approval-arguments').innerText(), /sed -i 's\/red\/blue\/' poem\.txt/);
  assert.equal(await fileRow(page, 'old.txt').count(), 1);
  await page.getByTestId('approval-allow').click();
  await diff('poem.txt').filter({ hasText: 'more' }).waitFor();
  await page.getByTestId('approval-deny').click();
  await waitStopped(page, 'Completed');
  assert.deepEqual(await toolCards(page), ['bash ok', 'bash ok', 'bash denied']);
  assert.equal(await fileRow(page, 'old.txt').count(), 0);
  await openFile(page, 'poem.txt');
  await until('the file is as allowed', async () => /^roses are blue\s*$/.test(await shownText(page)));
});

test('stop ends a command at once, and a tab that is closed in the middle has changed nothing', async (t) => {
  const endpoint = await t.endpoint([calls(bash('echo x > half.txt; echo begun; sleep 50', 60)), calls(bash('echo x > half.txt; echo begun; sleep 50', 60))]);
  const page = await t.open();
  await setup(page, endpoint);
  const begin = async () => {
    await send(page, 'Go');
    await page.getByTestId('tool-live').filter({ hasText: 'begun' }).waitFor();
  };
  await begin();
  const before = Date.now();
  await page.getByTestId('composer-stop').click();
  await waitStopped(page, 'Cancelled');
  assert.ok(Date.now() - before < 1_500);
  await begin();
  await reload(page);
  await waitCutOff(page);
  assert.equal(await fileRow(page, 'half.txt').count(), 0);
});

const ofShell = async (dir, ending) => join(dir, (await readdir(dir)).find((name) => name.startsWith('shell-') && name.endsWith(ending)));

async function damage(file) {
  const content = await readFile(file);
  content[content.length >> 1] ^= 1;
  await writeFile(file, content);
}

for (const [which, ending, change, why] of [
  ['is missing', '.wasm.gzip', rm, /status 404/],
  ['is damaged', '.wasm.gzip', damage, /not the one of this version/],
  ['has no script', '.js', rm, /Failed to fetch|status 404/],
]) {
  test(`a shell that ${which} is told in a sentence, and the run goes on`, async (t) => {
    const site = await t.serveChanged(async (dir) => change(await ofShell(dir, ending)));
    t.expectedErrors.push(/Failed to fetch/);
    const { page, told } = await ran(t, [[bash('ls')]], { open: () => t.open({ url: site.url }) });
    assert.match(told[0][0], /^Error: the shell could not be loaded \(/);
    assert.match(told[0][0], why);
    assert.deepEqual(await toolCards(page), ['bash error']);
  });
}

test('the shell is fetched when it is first used, and kept by the browser', async (t) => {
  let dir;
  const site = await t.serveChanged(async (folder) => { dir = folder; });
  const endpoint = await t.endpoint([calls(bash('echo one')), text('Done.'), calls(bash('echo two')), text('Done.')]);
  const page = await t.open({ url: site.url });
  await setup(page, endpoint);
  assert.deepEqual(t.urls.filter((url) => /shell-/.test(url)), []);
  await send(page, 'Go');
  await waitStopped(page, 'Completed');
  await rm(await ofShell(dir, '.wasm.gzip'));
  await reload(page);
  await send(page, 'Again');
  await waitStopped(page, 'Completed');
  assert.match(lastResults(endpoint.requests[3].body)[0], /exit code 0\nstdout:\ntwo/);
});

test('the build\'s shell is two files, named by what they hold', async () => {
  const names = (await readdir(DIST)).filter((name) => name.startsWith('shell-'));
  assert.equal(names.length, 2);
  for (const name of names) assert.match(name, /^shell-[\da-f]{16}\.(js|wasm\.gzip)$/);
});
