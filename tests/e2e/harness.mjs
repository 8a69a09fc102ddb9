// What every test stands on: one browser, a fresh context a test, the built page
// served over HTTP, and an eye on everything the page says and asks for.

import { access, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../scripts/serve.mjs';
import { startEndpoint } from './endpoint.mjs';
import { task } from './conversation.mjs';

/** The built page. */
export const DIST = process.env.TABLOOP_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
const OUTPUT = fileURLToPath(new URL('./output/', import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGS = [
  '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
];
const TEST_TIMEOUT = 45_000;
const STEP_TIMEOUT = 15_000;

/** All tests the imported specs have named, in order. */
export const tests = [];

/** Names a test; `run` gets a `Trial`. */
export function test(name, run) {
  tests.push({ name, run });
}

export function launch() {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGS });
}

/** Serves the built page; `base` is the path it lies under. */
export async function serveDist(base = '/') {
  await access(`${DIST}/index.html`).catch(() => {
    throw new Error(`There is no ${DIST}/index.html: build the page first (make build).`);
  });
  return serve({ dir: DIST, port: 0, base });
}

/** Runs one test. Gives back `null`, or the error it failed with. */
export async function attempt(browser, site, { name, run, timeout = TEST_TIMEOUT }) {
  const trial = new Trial(browser, site);
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${timeout / 1000} s`)), timeout);
  });
  try {
    await Promise.race([run(trial), late]);
    trial.verify();
    return null;
  } catch (error) {
    await trial.keepEvidence(name, error);
    return error;
  } finally {
    clearTimeout(timer);
    await trial.close();
  }
}

/** Waits until `look` gives something truthy, and gives that back. */
export async function until(what, look, timeout = STEP_TIMEOUT) {
  const end = Date.now() + timeout;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const trials = new WeakMap();

/** The trial that a page was opened in. */
export const trialOf = (page) => trials.get(page.context());

class Trial {
  /** What the page wrote to the console, its worker's lines too. */
  console = [];
  /** Exceptions nothing caught. */
  pageErrors = [];
  /** Every address that was asked for. */
  urls = [];
  /** Every text the test sent as a user. */
  sent = [];
  /** Page errors the test provokes itself, as patterns. */
  expectedErrors = [];
  #browser;
  #site;
  #contexts = [];
  #closing = [];
  #endpoints = [];

  constructor(browser, site) {
    this.#browser = browser;
    this.#site = site;
  }

  /** Opens the page in a fresh context, as on a machine that never saw it; `settled` waits for what shall come. */
  async open({ url = this.#site.url, settled = ready, ...options } = {}) {
    return this.#openIn(await this.#browser.newContext(options), url, settled);
  }

  /** Opens a second tab beside `page`, in the same browser profile. */
  openBeside(page) {
    return openPage(page.context(), page.url());
  }

  /** Starts a scripted endpoint that ends with the test. */
  async endpoint(script, options) {
    const endpoint = await startEndpoint(script, options);
    this.#endpoints.push(endpoint);
    this.#closing.push(endpoint);
    return endpoint;
  }

  /** Closes `one` when the test has ended. */
  closes(one) {
    this.#closing.push(one);
  }

  /** Serves the built page under another path, until the test ends. */
  async serveUnder(base) {
    const site = await serveDist(base);
    this.#closing.push(site);
    return site;
  }

  /** Serves a copy of the built page whose `file` begins with `line`, until the test ends. */
  serveWith(file, line) {
    return this.serveChanged(async (dir) => writeFile(join(dir, file), line + (await readFile(join(dir, file), 'utf8'))));
  }

  /** Serves a copy of the built page, changed by `change(its folder)`, until the test ends. */
  async serveChanged(change) {
    const dir = await mkdtemp(join(tmpdir(), 'tabloop-'));
    this.#closing.push({ close: () => rm(dir, { recursive: true }) });
    await cp(DIST, dir, { recursive: true });
    await change(dir);
    const site = await serve({ dir, port: 0, base: '/' });
    this.#closing.push(site);
    return site;
  }

  /** Serves the built page with a kernel whose waits pass fifty times as fast. */
  serveHurried() {
    return this.serveWith('worker.js', 'const wait = self.setTimeout.bind(self); self.setTimeout = (deed, ms = 0) => wait(deed, ms / 50);\n');
  }

  /** A folder for a browser's profile, gone when the test has ended. */
  async profile() {
    const dir = await mkdtemp(join(tmpdir(), 'tabloop-profile-'));
    this.#closing.push({ close: () => rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) });
    return dir;
  }

  /** Opens the page in a browser of its own, whose profile lies in `dir` and outlives it. */
  async openProfile(dir) {
    const context = await chromium.launchPersistentContext(dir, { executablePath: CHROMIUM, args: ARGS });
    return this.#openIn(context, this.#site.url);
  }

  /** Fails on what no test may leave behind, whatever else it showed. */
  verify() {
    const problems = [
      ...this.pageErrors.filter((error) => !this.expectedErrors.some((pattern) => pattern.test(error))),
      ...this.console.filter((line) => /panicked at|Content Security Policy/.test(line)),
      ...this.#endpoints.flatMap((endpoint) => endpoint.faults),
      ...this.#endpoints.flatMap((endpoint) => endpoint.requests.flatMap((request) => this.#strangeTask(request))),
    ];
    if (problems.length > 0) throw new Error(`beside what the test asks for:\n  ${problems.join('\n  ')}`);
  }

  async keepEvidence(name, error) {
    await mkdir(OUTPUT, { recursive: true });
    const file = OUTPUT + name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 80);
    await writeFile(`${file}.txt`, [error.stack, '', 'Console:', ...this.console, '', 'Uncaught:', ...this.pageErrors, ''].join('\n'));
    for (const [at, page] of this.#contexts.flatMap((context) => context.pages()).entries()) {
      await page.screenshot({ path: `${file}${at > 0 ? `-${at + 1}` : ''}.png`, timeout: 5_000 }).catch(() => {});
    }
  }

  async close() {
    await Promise.all(this.#contexts.map((context) => context.close().catch(() => {})));
    await Promise.all(this.#closing.map((one) => one.close()));
  }

  #openIn(context, url, settled = ready) {
    trials.set(context, this);
    this.#contexts.push(context);
    context.on('request', (request) => this.urls.push(request.url()));
    context.on('page', (page) => this.#watch(page));
    return openPage(context, url, settled);
  }

  #watch(page) {
    page.on('console', (message) => this.console.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.pageErrors.push(String(error.stack || error)));
  }

  #strangeTask({ n, body }) {
    const told = task(body.messages);
    // A second summary is made of the first one and what came behind it.
    if (told.startsWith('Summary of what came before:')) return [];
    return this.sent.some((text) => told.includes(text)) ? [] : [`request ${n}: the task is not one the user sent: ${told}`];
  }
}

/** Opens the page in a tab of `context`, and waits until it takes input. */
export async function openPage(context, url, settled = ready) {
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_TIMEOUT);
  await page.goto(url);
  await settled(page);
  return page;
}

/** Waits until the page takes input. */
export const ready = (page) => page.locator('[data-ready="true"]').waitFor({ state: 'attached' });
