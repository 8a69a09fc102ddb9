// What a user does in the page and sees there, by the names of the interface contract.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { MODEL } from './endpoint.mjs';
import { ready, trialOf, until } from './harness.mjs';

/** A key no other text can hold by chance. */
export const KEY = 'sk-e2e-Zq7Tr4Wm9Kx2Lp5Vn8';

// --- First start -------------------------------------------------------------------

/** Fills the setup form and saves it. */
export async function fillSetup(page, { baseUrl, key = KEY, model = MODEL }) {
  await page.getByTestId('setup-base-url').fill(baseUrl);
  await page.getByTestId('setup-api-key').fill(key);
  await page.getByTestId('setup-model').fill(model);
  await page.getByTestId('setup-save').click();
}

/** Names an endpoint on first start, and waits until a task can be written. */
export async function setup(page, endpoint) {
  await fillSetup(page, endpoint);
  await page.getByTestId('composer-input').waitFor();
}

/** Chooses the demo on first start. */
export async function startDemo(page) {
  await page.getByTestId('setup-demo').click();
  await page.getByTestId('composer-input').waitFor();
}

/** Lets nothing out to the host at `origin`: every request there is told that its key is wrong. */
export const refuseKeys = (context, origin) => context.route(`${origin}/**`, (route) => route.fulfill({
  status: 401,
  headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, content-type' },
  contentType: 'application/json',
  body: JSON.stringify({ error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } }),
}));

// --- Tasks and runs ------------------------------------------------------------------

/** Sends a message, and waits until it stands in the conversation. */
export async function send(page, text) {
  const messages = page.getByTestId('message-user');
  const before = await messages.count();
  trialOf(page)?.sent.push(text);
  await page.getByTestId('composer-input').fill(text);
  await page.getByTestId('composer-send').click();
  await until('the message stands in the conversation', async () => (await messages.count()) > before);
}

/** Waits until the run of the last message has ended for `reason`; gives back what the user is told. */
export async function waitStopped(page, reason) {
  let seen = 'nothing';
  const told = await until(`the run stopped for ${reason}`, async () => {
    const stop = await lastStop(page);
    seen = stop ? `${stop.reason}: ${stop.text}` : 'no end of the last run';
    return stop?.reason === reason ? stop.text : null;
  }).catch((error) => {
    throw new Error(`${error.message}; there was ${seen}`);
  });
  await page.getByTestId('composer-stop').waitFor({ state: 'hidden' });
  return told;
}

/** Waits until the run of the last message has ended for whatever reason, and names it. */
export const waitStoppedSomehow = (page, timeout) =>
  until('the run stopped', async () => (await lastStop(page))?.reason, timeout);

// Only what stands behind the last message of the user: earlier runs have their ends too.
const lastStop = (page) => page.evaluate(() => {
  const last = (id) => [...document.querySelectorAll(`[data-testid="${id}"]`)].at(-1);
  const stop = last('stop-reason');
  const message = last('message-user');
  const follows = stop && message && message.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING;
  return follows ? { reason: stop.dataset.reason, text: stop.innerText } : null;
});

/** Waits until the page says that the last run was cut off, and gives back what the user is told. */
export async function waitCutOff(page) {
  await page.getByTestId('resume-card').waitFor();
  return page.getByTestId('resume-card').innerText();
}

/** Presses "Continue", "Resume" or "Try again", whatever the end of the last run offers. */
export const continueRun = (page) => page.getByTestId('continue-run').last().click();

/** Waits until the agent has said `text`. */
export const waitAnswer = (page, text) =>
  page.getByTestId('message-assistant').filter({ hasText: text }).last().waitFor();

/** The tool cards in order, as `read_file ok`. */
export const toolCards = (page) => page.getByTestId('tool-card').evaluateAll((cards) =>
  cards.map(({ dataset }) => `${dataset.tool} ${dataset.state}`));

/**
 * Makes the page press Stop, reload, or hold all storage, at the moment the first tool call is
 * shown as done: from outside it could be too late. The last two leave the number of calls done
 * in the session storage.
 */
export const whenFirstIsDone = (page, deed) => page.evaluate(async (deed) => {
  const database = await new Promise((done, fail) => {
    const request = indexedDB.open('tabloop');
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
  // A transaction that never ends: the kernel's next one waits behind it, until the page is gone.
  const holdStorage = () => {
    const store = database.transaction(database.objectStoreNames, 'readwrite').objectStore('messages');
    const goOn = () => { store.count().onsuccess = goOn; };
    goOn();
  };
  new MutationObserver((_, observer) => {
    const done = document.querySelectorAll('[data-testid="tool-card"][data-state="ok"]').length;
    if (done === 0) return;
    observer.disconnect();
    if (deed === 'stop') return document.querySelector('[data-testid="composer-stop"]').click();
    holdStorage();
    sessionStorage.setItem('done', done);
    if (deed === 'reload') location.reload();
  }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-state'] });
}, deed);

/** Unfolds a tool card where it is folded, and gives back the text of its `part`. */
export async function cardText(card, part) {
  const text = card.getByTestId(part);
  if (!(await text.isVisible())) await card.getByTestId('tool-toggle').click();
  return text.innerText();
}

// --- Files -----------------------------------------------------------------------------

/** Adds files to the workspace; `contents` maps paths to text or bytes. */
export async function importFiles(page, contents) {
  await page.getByTestId('import-input').setInputFiles(Object.entries(contents).map(([name, content]) => ({
    name, mimeType: 'application/octet-stream', buffer: Buffer.from(content),
  })));
  for (const path of Object.keys(contents)) await fileRow(page, path).waitFor();
}

export const fileRow = (page, path) => page.locator(`[data-testid="file-row"][data-path="${path}"]`);

/** Opens a file from the tree. */
export async function openFile(page, path) {
  await fileRow(page, path).click();
  await page.getByTestId('file-viewer').filter({ hasText: path.split('/').at(-1) }).waitFor();
}

/** The text of the file in the viewer, as it is shown; its source, where it is shown formatted. */
export async function shownText(page) {
  const source = page.getByTestId('file-viewer').locator('pre');
  const formatted = page.locator('[data-testid="file-source"][aria-pressed="false"]');
  // The viewer may not be drawn yet.
  await source.or(formatted).first().waitFor();
  if (await formatted.count()) await formatted.click();
  return source.innerText();
}

/** Waits until the open file reads exactly so, but for blank lines at its end, which can't be seen. */
export async function waitShown(page, text) {
  const visible = (all) => all.replace(/\n+$/, '');
  let shown = '';
  await until('the file reads as it should', async () => (shown = visible(await shownText(page))) === visible(text))
    .catch(() => assert.equal(shown, visible(text)));
}

// --- Settings --------------------------------------------------------------------------

/** Sets what stands behind `setting-` in the fields' names, and saves it. */
export async function change(page, settings) {
  await page.getByTestId('settings-open').click();
  for (const [name, value] of Object.entries(settings)) {
    const field = page.getByTestId(`setting-${name}`);
    const isChoice = await field.evaluate(({ tagName }) => tagName === 'SELECT');
    await (isChoice ? field.selectOption(value) : field.fill(String(value)));
  }
  await page.getByTestId('settings-save').click();
  await page.getByTestId('settings-save').waitFor({ state: 'hidden' });
}

export const setRoundLimit = (page, limit) => change(page, { 'round-limit': limit });

/** Says what is asked about where no rule matches: writes, dangerous or never. */
export const setApproval = (page, mode) => change(page, { approval: mode });

// --- Reloads and storage -----------------------------------------------------------------

export async function reload(page) {
  await page.reload();
  await ready(page);
}

/** Everything the page's databases hold, as text; bytes are read as characters. */
export const dumpIndexedDb = (page) => page.evaluate(async () => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const readable = (key, value) => {
    if (value instanceof ArrayBuffer) return readable(key, new Uint8Array(value));
    if (ArrayBuffer.isView(value)) return new TextDecoder('utf-8').decode(value);
    if (value instanceof CryptoKey) return `CryptoKey extractable=${value.extractable}`;
    return value;
  };
  const found = {};
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store);
      found[`${name}/${store}`] = [await done(objects.getAllKeys()), await done(objects.getAll())];
    }
    database.close();
  }
  return JSON.stringify(found, readable);
});

/** What a file without content is called by its hash. */
const EMPTY = 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262';

/** Puts `paths` into the store of a page that has written nothing yet, as the first versions did. */
export async function seed(page, paths) {
  await page.evaluate(async ([paths, version]) => {
    const done = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const database = await done(indexedDB.open('tabloop'));
    const transaction = database.transaction(['nodes', 'blobs', 'workspaces'], 'readwrite');
    const file = JSON.stringify({ File: { size: 0, modified_ms: 1, version } });
    const folders = new Set(paths.map((path) => path.split('/').slice(0, -1).join('/')).filter(Boolean));
    const nodes = transaction.objectStore('nodes');
    for (const path of folders) nodes.put('"Folder"', ['default', path]);
    for (const path of paths) nodes.put(file, ['default', path]);
    transaction.objectStore('blobs').put(new Uint8Array(0), [version, 0]);
    transaction.objectStore('workspaces').put('1', ['default']);
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  }, [paths, EMPTY]);
  await reload(page);
}

// --- Kills -----------------------------------------------------------------------------

/** Kills the browser that has `dir` as its profile: no handler runs, nothing is written behind it. */
export async function kill(page, dir) {
  const isBrowser = (line) => line.includes(`--user-data-dir=${dir}`) && !line.includes('--type=');
  const lines = execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');
  const pids = lines.filter(isBrowser).map((line) => Number.parseInt(line, 10));
  assert.equal(pids.length, 1, `one browser has the profile: ${pids}`);
  const gone = new Promise((done) => { page.context().on('close', done); });
  process.kill(pids[0], 'SIGKILL');
  await gone;
}
