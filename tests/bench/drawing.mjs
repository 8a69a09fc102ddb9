// What drawing a long answer costs the page's main thread, beside the least that could be done, the
// same stream appended as plain text, and beside two pages as others make them.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { change, send, setup } from '../e2e/app.mjs';
import { MODEL } from '../e2e/endpoint.mjs';
import { openPage } from '../e2e/harness.mjs';
import { END } from './answer.mjs';
import { buildReferences } from './reference/build.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));

/**
 * Sizes of the answer, deltas of 24 bytes a second (0: as fast as they come), how often; the references,
 * which take long, once.
 */
const CASES = [
  { size: 50_000, rate: 0, runs: 5 },
  { size: 200_000, rate: 0, runs: 5 },
  { size: 800_000, rate: 0, runs: 3 },
  { size: 50_000, rate: 1_000, runs: 2 },
  { size: 200_000, rate: 1_000, runs: 2 },
  { size: 800_000, rate: 1_000, runs: 1 },
];
const REFERENCES = ['streamdown', 'react-markdown'];
/** Milliseconds after which a reference is given up. */
const PATIENCE = 300_000;
/** Times the floor, as fast as they come and at 1,000 deltas a second. */
const BUDGET = { fast: 2.5, slow: 1.3 };

/** Runs in a page before anything of its own: notes tasks of more than 50 ms. */
function noteTasks() {
  window.tasks = [];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
}

/** Runs in the page: waits until the run has ended and all is drawn, and looks seldom enough to cost nothing. */
const ended = (end) => new Promise((done) => {
  const timer = setInterval(() => {
    if (!document.querySelector('[data-testid=stop-reason]')) return;
    const blocks = document.getElementsByClassName('prose__block');
    if (!blocks[blocks.length - 1]?.textContent.endsWith(end)) return;
    clearInterval(timer);
    done();
  }, 50);
});

/** The main thread's time in tasks so far, in ms. */
async function taskTime(client) {
  const { metrics } = await client.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}

async function watched(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  /** What `run` cost: the main thread's tasks, the longest of those over 50 ms, and from the last byte to the end. */
  return async (endpoint, run, prepare = () => {}) => {
    await prepare();
    await page.evaluate(() => (window.tasks = []));
    const sent = once(endpoint, 'message');
    const [before, start] = [await taskTime(client), Date.now()];
    await run();
    const [{ sentAt }] = await sent;
    const ended = Date.now();
    const long = await page.evaluate(() => window.tasks);
    return { tasks: await taskTime(client) - before, all: ended - start, behind: ended - sentAt, longest: Math.max(0, ...long), long: long.length };
  };
}

async function openOurs(browser, site, baseUrl) {
  const context = await browser.newContext();
  await context.addInitScript(noteTasks);
  const page = await openPage(context, site.url);
  await setup(page, { baseUrl, model: MODEL });
  await change(page, { 'kilo-tokens': 0 });
  const watch = await watched(page);
  const prepare = async () => {
    await page.getByTestId('session-new').click();
    await page.getByTestId('message-user').waitFor({ state: 'detached' });
  };
  const run = async () => {
    await send(page, 'Tell me much');
    await page.evaluate(ended, END);
  };
  return (endpoint) => watch(endpoint, run, prepare);
}

/** Opens one of the bench's own pages. */
async function openOther(browser, address, baseUrl) {
  const context = await browser.newContext();
  await context.addInitScript(noteTasks);
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForFunction(() => window.run);
  const watch = await watched(page);
  const run = async () => {
    const over = page.evaluate((url) => window.run(url), `${baseUrl}/chat/completions`);
    let timer;
    const late = new Promise((_, give) => (timer = setTimeout(() => give(new Error('it took too long')), PATIENCE)));
    await Promise.race([over, late]).finally(() => clearTimeout(timer));
  };
  return { run: (endpoint) => watch(endpoint, run), close: () => context.close() };
}

/** Streams answers into the page and into the floor, in turns, and then into the references. */
export async function measureDrawing(browser, site, benchSite) {
  await buildReferences();
  const endpoint = fork(`${here}drawing-endpoint.mjs`);
  const [{ baseUrl }] = await once(endpoint, 'message');
  const floor = await openOther(browser, `${benchSite.url}append.html`, baseUrl);
  const pages = { ours: await openOurs(browser, site, baseUrl), floor: floor.run };
  for (const run of Object.values(pages)) await run(endpoint);
  const figures = [];
  for (const { size, rate, runs } of CASES) {
    endpoint.send({ size, rate });
    const seen = { ours: [], floor: [] };
    for (let n = 0; n < runs; n += 1) {
      for (const [who, run] of Object.entries(pages)) seen[who].push(await run(endpoint));
    }
    const row = { size, rate, ours: middle(seen.ours), floor: middle(seen.floor) };
    // A fresh page each, and nothing where it does not come to an end.
    for (const name of REFERENCES) row[name] = await measureReference(browser, benchSite, baseUrl, endpoint, name);
    figures.push(row);
  }
  endpoint.disconnect();
  return figures;
}

async function measureReference(browser, benchSite, baseUrl, endpoint, name) {
  const page = await openOther(browser, `${benchSite.url}reference.html?page=${name}`, baseUrl);
  try {
    return await page.run(endpoint);
  } catch (error) {
    return { failed: String(error.message ?? error) };
  } finally {
    await page.close();
  }
}

/** The run whose tasks took the middle time. */
const middle = (runs) => [...runs].sort((a, b) => a.tasks - b.tasks)[Math.floor(runs.length / 2)];

const ratio = ({ ours, floor }) => ours.tasks / floor.tasks;

/** Prints the figures of [`measureDrawing`]. */
export function printDrawing(figures, table) {
  console.log('\nDrawing an answer in deltas of 24 bytes; ms of tasks on the main thread, median');
  const told = ({ failed, tasks, longest, all }) => failed ?? `${tasks.toFixed(0)} of ${all}, longest ${longest < 50 ? '< 50' : longest.toFixed(0)}`;
  table(
    ['answer', 'deltas a second', 'page', 'plain text', 'ratio', 'tasks > 50 ms', 'last byte → end', ...REFERENCES],
    figures.map((row) => [
      `${row.size / 1000} KB`, row.rate === 0 ? 'as they come' : String(row.rate), told(row.ours), told(row.floor), ratio(row).toFixed(2),
      String(row.ours.long), `${row.ours.behind} ms`, ...REFERENCES.map((name) => told(row[name])),
    ]),
  );
}

/** What is over the budget, in sentences. */
export function drawingOver(figures) {
  const found = [];
  for (const row of figures) {
    const told = `drawing ${row.size / 1000} KB ${row.rate === 0 ? 'as fast as it comes' : `at ${row.rate} deltas a second`}`;
    const times = row.rate === 0 ? BUDGET.fast : BUDGET.slow;
    if (ratio(row) > times) found.push(`${told} is over ${times} times the floor`);
    if (row.rate > 0 && row.ours.long > 0) found.push(`${told} has ${row.ours.long} tasks over 50 ms`);
    for (const name of REFERENCES) if (row.ours.tasks > row[name].tasks) found.push(`${told} takes longer than ${name}`);
  }
  return found;
}
