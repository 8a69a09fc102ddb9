// Measures what the page costs over the least a page could do, in one run, in the same
// browser, against the same endpoint. README.md says what the figures mean.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { serve } from '../../scripts/serve.mjs';
import { change, importFiles, send, setup, waitStopped } from '../e2e/app.mjs';
import { MODEL } from '../e2e/endpoint.mjs';
import { DIST, launch, openPage, serveDist } from '../e2e/harness.mjs';
import { drawingOver, measureDrawing, printDrawing } from './drawing.mjs';
import { filesOver, measureFiles, printFiles } from './files.mjs';
import { measureMemory, memoryOver, printMemory } from './memory.mjs';
import { measureShell, printShell } from './shell.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));

/** Where turn-around is measured: at this many rounds of history, 50 rounds around it. */
const WINDOWS = [
  { at: 10, from: 8, to: 12, runs: 10 },
  { at: 200, from: 188, to: 212, runs: 2 },
];
const LOADS = 9;
/** The stream that is decoded: its size, the size of a read, how often. */
const STREAM = { size: 10_000_000, read: 16 * 1024, runs: 15 };
/** Times of the bare loop, of the reference decoder; bytes of memory for a byte of answer, and beside it. */
const BUDGET = { firstLoad: 380 * 1024, ratio: 3, decoding: 1, memory: 4, memoryBeside: 1 << 20 };
const TASK = 'Read the file again and again';

// --- Turn-around of a round ----------------------------------------------------------

class BenchEndpoint {
  #process = fork(`${here}endpoint.mjs`);

  async start() {
    const [{ baseUrl }] = await once(this.#process, 'message');
    this.baseUrl = baseUrl;
  }

  /** Holds one conversation of `rounds` rounds, begun by `begin`, and gives back its requests. */
  async converse(rounds, begin) {
    this.#process.send({ rounds });
    const ended = once(this.#process, 'message');
    await begin();
    const [{ requests, faults }] = await ended;
    if (faults.length > 0) throw new Error(faults.slice(0, 5).join('\n'));
    if (requests.length !== rounds + 1) throw new Error(`${requests.length} requests came, not ${rounds + 1}`);
    const failed = requests.flatMap(({ results }) => results).find((result) => result.startsWith('Error:'));
    if (failed) throw new Error(`the tool failed: ${failed}`);
    return requests;
  }

  close() {
    this.#process.disconnect();
  }
}

/** From the end of a response to the full arrival of the next request, in ms. */
const turnarounds = (requests, { from, to }) =>
  requests.slice(1).map(({ arrivedAt }, at) => arrivedAt - requests[at].endedAt).slice(from - 1, to);

async function openOurs(browser, site, endpoint) {
  const page = await openPage(await browser.newContext(), site.url);
  await setup(page, { baseUrl: endpoint.baseUrl, model: MODEL });
  // Two hundred rounds of a growing history are more than a run may use otherwise.
  await change(page, { 'round-limit': 500, 'kilo-tokens': 0 });
  await importFiles(page, { 'tiny.txt': 'tiny\n' });
  return async (rounds) => {
    await page.getByTestId('session-new').click();
    await page.getByTestId('message-user').waitFor({ state: 'detached' });
    const requests = await endpoint.converse(rounds, () => send(page, TASK));
    await waitStopped(page, 'Completed');
    return requests;
  };
}

async function openBare(browser, site, endpoint, result) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${site.url}bare.html`);
  const run = () => page.evaluate((args) => window.run(...args), [`${endpoint.baseUrl}/chat/completions`, TASK, result]);
  return (rounds) => endpoint.converse(rounds, run);
}

async function measureTurnaround(browser, site, benchSite) {
  const endpoint = new BenchEndpoint();
  await endpoint.start();
  const ours = await openOurs(browser, site, endpoint);
  // The first conversations warm both pages up; the bare loop takes its result from ours.
  const [, { results: [result] }] = await ours(30);
  const bare = await openBare(browser, benchSite, endpoint, result);
  await bare(30);

  const figures = [];
  for (const window of WINDOWS) {
    const times = { ours: [], bare: [] };
    const bytes = {};
    // In turns, so that a slow moment of the machine strikes both.
    for (let run = 0; run < window.runs; run += 1) {
      for (const [who, converse] of Object.entries({ ours, bare })) {
        const requests = await converse(window.to);
        times[who].push(...turnarounds(requests, window));
        bytes[who] = requests[window.at].bytes;
      }
    }
    figures.push({ at: window.at, ours: spread(times.ours), bare: spread(times.bare), bytes });
  }
  endpoint.close();
  return figures;
}

// --- Loading ---------------------------------------------------------------------------

/** Runs in the page before anything of its own: notes when it takes input. */
function noteReady() {
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[data-ready="true"]')) return;
    window.readyAt = performance.now();
    observer.disconnect();
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-ready'] });
}

/** Opens `url` in a context that never saw it; gives back ms since navigation, and what was fetched until then and behind it. */
async function load(browser, url, measure) {
  const context = await browser.newContext();
  const fetched = new Set();
  context.on('request', (request) => fetched.add(request.url()));
  await context.addInitScript(noteReady);
  const page = await context.newPage();
  await page.goto(url);
  const took = await (await page.waitForFunction(measure)).jsonValue();
  await page.waitForLoadState('networkidle');
  const behind = new Set(await page.evaluate(
    (took) => performance.getEntriesByType('resource').filter(({ startTime }) => startTime >= took).map(({ name }) => name), took));
  await context.close();
  return { took, fetched: [...fetched].filter((url) => !behind.has(url)), behind };
}

async function measureLoads(browser, site, benchSite) {
  const ready = [];
  const blank = [];
  const fetched = new Set();
  const behind = new Set();
  for (let n = 0; n < LOADS; n += 1) {
    const ours = await load(browser, site.url, () => window.readyAt);
    ready.push(ours.took);
    ours.fetched.forEach((url) => fetched.add(url));
    ours.behind.forEach((url) => behind.add(url));
    blank.push((await load(browser, `${benchSite.url}blank.html`, () => performance.getEntriesByType('navigation')[0].loadEventEnd)).took);
  }
  return { ready: spread(ready), blank: spread(blank), files: await gzipped(site, fetched), behind: await gzipped(site, behind) };
}

async function gzipped(site, urls) {
  const names = [...urls].filter((url) => url.startsWith(site.url)).map((url) => url.slice(site.url.length) || 'index.html');
  const files = await Promise.all(names.map(async (name) => {
    const content = await readFile(join(DIST, name));
    return { name, bytes: content.length, gzip: gzipSync(content, { level: 9 }).length };
  }));
  return files.sort((a, b) => b.gzip - a.gzip);
}

// --- Decoding --------------------------------------------------------------------------

/** A long answer, read by the app's decoder and by `eventsource-parser` with `JSON.parse`. */
async function measureDecoding(browser, benchSite) {
  const page = await (await browser.newContext()).newPage();
  const failed = new Promise((_, reject) => page.on('pageerror', reject));
  await page.goto(`${benchSite.url}decoder.html`);
  await Promise.race([page.waitForFunction(() => window.run), failed]);
  const figures = [];
  for (const varies of [false, true]) {
    const run = (runs) => page.evaluate((args) => window.run(args), { ...STREAM, varies, runs });
    await run(3);
    const { times, ...rest } = await run(STREAM.runs);
    const rate = (took) => spread(took.map((ms) => rest.bytes / 1000 / ms));
    figures.push({ varies, ...rest, ours: rate(times.ours), reference: rate(times.reference) });
  }
  return figures;
}

// --- Figures ---------------------------------------------------------------------------

function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (q) => sorted[Math.round((sorted.length - 1) * q)];
  return { median: quantile(0.5), low: quantile(0.1), high: quantile(0.9), count: sorted.length };
}

const sum = (files, part) => files.reduce((total, file) => total + file[part], 0);

/** What a further round of history adds, in µs. */
const growth = ([short, long], who) => ((long[who].median - short[who].median) * 1000) / (long.at - short.at);

function table(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  for (const row of all) {
    console.log(`  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('   ')}`);
  }
}

const ms = ({ median, low, high }) => `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;

function print({ turnaround, loads, decoding, files, memory, shell, drawing }) {
  printFiles(files, table);
  printMemory(memory, table);
  printShell(shell, table);
  printDrawing(drawing, table);
  console.log('\nTurn-around of a round: response ended → next request arrived; ms, median (10 %–90 %) of 50');
  table(
    ['rounds of history', 'page', 'bare loop', 'ratio', 'request page', 'request bare'],
    turnaround.map(({ at, ours, bare, bytes }) => [
      String(at), ms(ours), ms(bare), (ours.median / bare.median).toFixed(2), kib(bytes.ours), kib(bytes.bare),
    ]),
  );
  console.log(`  a further round of history adds: page ${growth(turnaround, 'ours').toFixed(1)} µs, bare loop ${growth(turnaround, 'bare').toFixed(1)} µs`);

  console.log(`\nDecoding ${kib(STREAM.size)} in deltas of 24 bytes; MB/s, median (10 %–90 %) of ${STREAM.runs}`);
  table(
    ['around the text', 'page', 'eventsource-parser + JSON.parse', 'ratio', 'answer', 'memory', 'grew by'],
    decoding.map(({ varies, ours, reference, answer, memory, grown }) => [
      varies ? 'varies' : 'the same', ms(ours), ms(reference), (ours.median / reference.median).toFixed(2),
      kib(answer), kib(memory), kib(grown),
    ]),
  );

  console.log('\nFirst load, gzip -9');
  table(['file', 'bytes', 'gzip'], [
    ...loads.files.map(({ name, bytes, gzip }) => [name, String(bytes), String(gzip)]),
    ['all', String(sum(loads.files, 'bytes')), String(sum(loads.files, 'gzip'))],
    ...loads.behind.map(({ name, bytes, gzip }) => [`then ${name}`, String(bytes), String(gzip)]),
  ]);

  console.log(`\nNavigation → ready for input, cold; ms, median (10 %–90 %) of ${LOADS}`);
  table(['page', 'blank page', 'ratio'], [[ms(loads.ready), ms(loads.blank), (loads.ready.median / loads.blank.median).toFixed(1)]]);
}

/** What is over the budget, in sentences. Times decide nothing but as ratios. */
function overruns({ turnaround, loads, decoding, files, memory, drawing }) {
  const found = turnaround
    .filter(({ ours, bare }) => ours.median > BUDGET.ratio * bare.median)
    .map(({ at }) => `the turn-around at ${at} rounds is over ${BUDGET.ratio} times the bare loop's`);
  const [same] = decoding;
  if (same.ours.median < BUDGET.decoding * same.reference.median) found.push('decoding is slower than the reference');
  if (decoding.some(({ memory, answer }) => memory > BUDGET.memory * answer + BUDGET.memoryBeside)) {
    found.push('decoding keeps more than the answer needs');
  }
  if (sum(loads.files, 'gzip') > BUDGET.firstLoad) found.push(`the first load is over ${kib(BUDGET.firstLoad)}`);
  return [...found, ...filesOver(files), ...memoryOver(memory), ...drawingOver(drawing)];
}

const site = await serveDist();
const benchSite = await serve({ dir: here, port: 0 });
const browser = await launch();
console.log('Measuring; this takes some minutes.');
const figures = {
  decoding: await measureDecoding(browser, benchSite),
  drawing: await measureDrawing(browser, site, benchSite),
  files: await measureFiles(browser, benchSite),
  memory: await measureMemory(browser),
  shell: await measureShell(browser, site),
  loads: await measureLoads(browser, site, benchSite),
  turnaround: await measureTurnaround(browser, site, benchSite),
};
await browser.close();
await benchSite.close();
await site.close();

print(figures);
await mkdir(`${here}output`, { recursive: true });
await writeFile(`${here}output/figures.json`, `${JSON.stringify(figures, null, 2)}\n`);
const over = overruns(figures);
console.log(over.length > 0 ? `\nOver the budget: ${over.join('; ')}.` : '\nWithin the budget.');
console.log('All figures: tests/bench/output/figures.json');
process.exit(over.length > 0 ? 1 : 0);
