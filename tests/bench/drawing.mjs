// What drawing a long answer costs the page's main thread, beside the least that could be done:
// the same stream appended as plain text.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { change, send, setup } from '../e2e/app.mjs';
import { MODEL } from '../e2e/endpoint.mjs';
import { openPage } from '../e2e/harness.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));

/** Sizes of the answer, deltas of 24 bytes a second (0: as fast as they come), how often. */
const CASES = [
  { size: 50_000, rate: 0, runs: 5 },
  { size: 200_000, rate: 0, runs: 5 },
  { size: 800_000, rate: 0, runs: 3 },
  { size: 200_000, rate: 1_000, runs: 2 },
];
/** Times the floor, as fast as they come and at 1,000 deltas a second. */
const BUDGET = { fast: 2.5, slow: 1.3 };

/** Runs in a page before anything of its own: notes tasks of more than 50 ms. */
function noteTasks() {
  window.tasks = [];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
}

/** Runs in the page: waits until the run has ended, and asks for that seldom enough to cost nothing. */
const ended = () => new Promise((done) => {
  const timer = setInterval(() => {
    if (!document.querySelector('[data-testid=stop-reason]')) return;
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
    await page.evaluate(ended);
  };
  return (endpoint) => watch(endpoint, run, prepare);
}

async function openFloor(browser, benchSite, baseUrl) {
  const context = await browser.newContext();
  await context.addInitScript(noteTasks);
  const page = await context.newPage();
  await page.goto(`${benchSite.url}append.html`);
  const watch = await watched(page);
  return (endpoint) => watch(endpoint, () => page.evaluate((url) => window.run(url), `${baseUrl}/chat/completions`));
}

/** Streams answers into the page and into the floor, in turns. */
export async function measureDrawing(browser, site, benchSite) {
  const endpoint = fork(`${here}drawing-endpoint.mjs`);
  const [{ baseUrl }] = await once(endpoint, 'message');
  const pages = { ours: await openOurs(browser, site, baseUrl), floor: await openFloor(browser, benchSite, baseUrl) };
  for (const run of Object.values(pages)) await run(endpoint);
  const figures = [];
  for (const { size, rate, runs } of CASES) {
    endpoint.send({ size, rate });
    const seen = { ours: [], floor: [] };
    for (let n = 0; n < runs; n += 1) {
      for (const [who, run] of Object.entries(pages)) seen[who].push(await run(endpoint));
    }
    figures.push({ size, rate, ours: middle(seen.ours), floor: middle(seen.floor) });
  }
  endpoint.disconnect();
  return figures;
}

/** The run whose tasks took the middle time. */
const middle = (runs) => [...runs].sort((a, b) => a.tasks - b.tasks)[Math.floor(runs.length / 2)];

const ratio = ({ ours, floor }) => ours.tasks / floor.tasks;

/** Prints the figures of [`measureDrawing`]. */
export function printDrawing(figures, table) {
  console.log('\nDrawing an answer in deltas of 24 bytes; ms of tasks on the main thread, median');
  const told = ({ tasks, longest, all }) => `${tasks.toFixed(0)} of ${all}, longest ${longest < 50 ? '< 50' : longest.toFixed(0)}`;
  table(
    ['answer', 'deltas a second', 'page', 'plain text', 'ratio', 'tasks > 50 ms', 'last byte → end'],
    figures.map((row) => [
      `${row.size / 1000} KB`, row.rate === 0 ? 'as they come' : String(row.rate), told(row.ours), told(row.floor), ratio(row).toFixed(2),
      String(row.ours.long), `${row.ours.behind} ms`,
    ]),
  );
}

/** What is over the budget, in sentences. */
export const drawingOver = (figures) => figures
  .filter((row) => ratio(row) > (row.rate === 0 ? BUDGET.fast : BUDGET.slow))
  .map(({ size, rate }) => `drawing ${size / 1000} KB ${rate === 0 ? 'as fast as it comes' : `at ${rate} deltas a second`} is over ${rate === 0 ? BUDGET.fast : BUDGET.slow} times the floor`);
