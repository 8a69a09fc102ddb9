// The built page with servers that nobody here wrote: a real model, the same behind a real
// gateway, and a mock of OpenAI's API. The model is far too small to use tools well: with it
// the wire is proved, not the wits; tools are the mock's part.
//
//   TABLOOP_LLAMA_SERVER  the program llama-server
//   TABLOOP_LLAMA_MODEL   a model for it (.gguf)

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { attempt, launch, serveDist, until } from './harness.mjs';
import { fileRow, importFiles, openFile, send, toolCards, waitAnswer, waitShown, waitStopped, waitStoppedSomehow } from './app.mjs';
import { examined, lines, report } from './doctor.mjs';
import { startAimock, startGateway, startLlama } from './real/servers.mjs';

const OUTPUT = fileURLToPath(new URL('./output/', import.meta.url));
/** A small model on a slow machine takes its time. */
const ANSWER_TIMEOUT = 60_000;
const TEST_TIMEOUT = 150_000;

/** For the small model, which would run on or go round in circles: one sentence, the same in each run. */
const BRIEF = JSON.stringify({ stop: ['.', '\n'], seed: 7, frequency_penalty: 1 });

const NOTES = 'Milk\nBread\nTea\n';
const LIST = '# Shopping\n\n- Milk\n- Bread\n- Tea\n';
const ANSWER = 'The list is in shopping.md.';
const TURNS = [
  { toolCalls: [{ name: 'read_file', arguments: JSON.stringify({ path: 'notes.txt' }) }] },
  { content: 'Now I write it.', toolCalls: [{ name: 'write_file', arguments: JSON.stringify({ path: 'shopping.md', content: LIST }) }] },
  { content: ANSWER },
];

// --- What the user does and sees -------------------------------------------------------

/** Fills the form on first start; `options` are what stands behind `option-` in the fields' names. */
async function fill(page, { baseUrl, key, model }, options = {}) {
  await page.getByTestId('setup-base-url').fill(baseUrl);
  await page.getByTestId('setup-api-key').fill(key);
  await page.getByTestId('setup-model').fill(model);
  if (Object.keys(options).length > 0) await page.getByTestId('setup-more').click();
  for (const [name, value] of Object.entries(options)) await page.getByTestId(`option-${name}`).fill(value);
}

/** Has the endpoint's models listed and takes the one there is; gives back its line. */
async function takeListed(page) {
  await page.getByTestId('setup-models-list').click();
  const line = page.getByTestId('setup-models').getByRole('option').first();
  await line.waitFor();
  const text = await line.innerText();
  await line.click();
  return text;
}

/** Has the doctor look at what is in the form; prints what it says, and gives that back. */
async function examine(page) {
  const again = page.getByTestId('doctor-again');
  await ((await again.isVisible()) ? again : page.getByTestId('doctor-run')).click();
  const { cause, text } = await examined(page, ANSWER_TIMEOUT);
  const seen = await lines(page);
  console.log(`     doctor: ${cause} (${seen.join(', ')})`);
  return { cause, text, seen };
}

async function save(page) {
  await page.getByTestId('setup-save').click();
  await page.getByTestId('composer-input').waitFor();
}

async function photograph(page, name) {
  await mkdir(OUTPUT, { recursive: true });
  await page.screenshot({ path: `${OUTPUT}real-${name}.png` });
}

/** Has the doctor's report in the picture. */
async function photographReport(page, name) {
  await report(page).evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await photograph(page, name);
}

/** Notes every length that the last answer has while it comes in. */
const watchAnswer = (page) => page.evaluate(() => {
  window.lengths = new Set();
  new MutationObserver(() => {
    const answer = [...document.querySelectorAll('[data-testid="message-assistant"]')].at(-1);
    if (answer) window.lengths.add(answer.textContent.length);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
});

async function ask(page, text) {
  await page.evaluate(() => window.lengths.clear());
  await send(page, text);
  const reason = await waitStoppedSomehow(page, ANSWER_TIMEOUT);
  const lengths = await page.evaluate(() => window.lengths.size);
  const answer = await page.getByTestId('message-assistant').last().innerText().catch(() => '');
  console.log(`     > ${text}\n${answer.trim().replace(/^/gm, '       ')}\n       (${reason}, seen at ${lengths} lengths)`);
  assert.notEqual(reason, 'Failed', await page.getByTestId('stop-reason').last().innerText());
  assert.ok(lengths > 1, 'the answer came in pieces');
}

async function converse(page, questions = ['Say in one sentence what a tree is.', 'And what is a leaf?']) {
  await watchAnswer(page);
  for (const question of questions) await ask(page, question);
  assert.equal(await page.getByTestId('message-user').count(), questions.length);
}

// --- The three ----------------------------------------------------------------------------

const WORKS = ['fine Reach the host', 'fine List its models', 'fine Get an answer', 'fine Stream an answer'];

/** All that a model can do works; whether one so small calls a tool is its own affair, and told. */
function assertWorks({ cause, seen, text }) {
  assert.deepEqual(seen.slice(0, 4), WORKS, text);
  assert.equal(seen[5], 'fine Count tokens', text);
  const called = seen[4] === 'fine Have a tool called';
  assert.equal(cause, called ? 'Fine' : 'ToolIgnored', text);
  if (!called) assert.match(text, /did not call it/);
}

const llamaAlone = (llama) => async (t) => {
  const page = await t.open();
  await fill(page, { ...llama, model: '' }, { 'extra-body': BRIEF });
  const listed = await takeListed(page);
  console.log(`     in its list: ${listed.replace(/\s+/g, ' ')}`);
  assertWorks(await examine(page));
  await photographReport(page, 'llama-doctor');
  await save(page);
  await converse(page);
  await photograph(page, 'llama');
  const [, file] = /([^/]+)\.gguf\b/.exec(listed);
  assert.equal(await page.getByTestId('model-picker').innerText(), file, 'the path in front of it tells nothing');
  await page.getByTestId('settings-open').click();
  await page.getByTestId('facts-source').filter({ hasText: "as the endpoint's list tells" }).waitFor();
  assert.equal(await page.getByTestId('setting-window').inputValue(), String(llama.window));
};

const llamaBehindGateway = (llama, gateway) => async (t) => {
  const page = await t.open();
  const headers = `x-portkey-provider: openai\nx-portkey-custom-host: ${llama.baseUrl}`;
  await fill(page, { ...llama, baseUrl: gateway.shut }, { headers, 'extra-body': BRIEF });
  console.log('     the gateway alone, which lets no page in:');
  const alone = await examine(page);
  assert.equal(alone.cause, 'NoCors', alone.text);
  await page.getByTestId('setup-base-url').fill(gateway.baseUrl);
  assertWorks(await examine(page));
  await photographReport(page, 'gateway-doctor');
  await save(page);
  await converse(page, ['Say in one sentence what a tree is.']);
  await photograph(page, 'gateway');
};

const toolsWithAimock = (aimock) => async (t) => {
  const page = await t.open();
  await fill(page, aimock);
  const { cause, seen, text } = await examine(page);
  assert.equal(cause, 'Fine', text);
  assert.deepEqual(seen, [...WORKS, 'fine Have a tool called', 'fine Count tokens']);
  await photographReport(page, 'aimock-doctor');
  await save(page);
  await importFiles(page, { 'notes.txt': NOTES });
  const before = aimock.asked().length;
  await send(page, 'Make a shopping list of notes.txt.');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, ANSWER);
  assert.deepEqual(await toolCards(page), ['read_file ok', 'write_file ok']);
  assert.equal(await page.getByTestId('round-card').count(), TURNS.length);
  await page.getByTestId('round-toggle').click();
  await waitAnswer(page, TURNS[1].content);
  await fileRow(page, 'shopping.md').waitFor();
  for (const [path, content] of [['shopping.md', LIST], ['notes.txt', NOTES]]) {
    await openFile(page, path);
    await waitShown(page, content);
  }
  const asked = aimock.asked().slice(before);
  assert.equal(asked.length, TURNS.length, 'no request more than rounds');
  const results = asked.at(-1).messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  assert.equal(results.length, 2);
  assert.ok(results[0].includes('Bread'), 'the model was given what it read');
  await photograph(page, 'aimock');
};

// --- One after the other --------------------------------------------------------------------

function setting(name) {
  if (process.env[name]) return process.env[name];
  console.error(`${name} is not set: run this by make test-real.`);
  process.exit(2);
}

/** Runs one of them, says how it went, and gives back whether it did. */
async function passes(browser, site, servers, name, run) {
  console.log(`==== ${name}`);
  const begun = performance.now();
  const error = await attempt(browser, site, { name: `real: ${name}`, run, timeout: TEST_TIMEOUT });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${error ? 'FAIL' : 'ok  '} ${seconds} s  ${name}`);
  if (!error) return true;
  console.log(error.stack.replace(/^/gm, '       '));
  for (const server of servers) console.log(`The last words of ${server.name}:\n${server.log().slice(-2_000)}`);
  return false;
}

/** Gives back whether all passed. */
async function runAll(opened) {
  const open = async (opening) => {
    const one = await opening;
    opened.push(one);
    return one;
  };
  const llama = await open(startLlama(setting('TABLOOP_LLAMA_SERVER'), setting('TABLOOP_LLAMA_MODEL')));
  const gateway = await open(startGateway());
  const aimock = await open(startAimock(TURNS));
  const site = await open(serveDist());
  const browser = await open(launch());
  const trials = [
    ['a conversation with a real model', llamaAlone(llama), [llama]],
    ['the same behind a real gateway', llamaBehindGateway(llama, gateway), [gateway, llama]],
    ['a task of three rounds with a mock by others', toolsWithAimock(aimock), [aimock]],
  ];
  let passed = 0;
  for (const [name, run, servers] of trials) {
    if (await passes(browser, site, servers, name, run)) passed += 1;
  }
  console.log(`${passed} passed, ${trials.length - passed} failed. Pictures are in tests/e2e/output/.`);
  return passed === trials.length;
}

const opened = [];
let isGood = false;
try {
  isGood = await runAll(opened);
} finally {
  for (const one of opened.reverse()) await one.close();
}
process.exit(isGood ? 0 : 1);
