// Measures the memory of the kernel's worker in the release build: what it grows by while files come
// in and are searched. What a module took it never gives back, so each figure is the most it needed.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send, setup, waitStopped } from '../e2e/app.mjs';
import { call, calls, startEndpoint, text } from '../e2e/endpoint.mjs';
import { DIST, openPage, ready } from '../e2e/harness.mjs';
import { seeded } from '../e2e/wire.mjs';
import { zip } from '../e2e/zip.mjs';
import { serve } from '../../scripts/serve.mjs';

const MB = 1 << 20;
/** The largest file that a workspace takes. */
const LARGEST = 100 * MB;
/** Times of the largest file, beside the index; and bytes for what is under way and near at hand, whatever the files are. */
const BUDGET = { largest: 2, buffers: 24 * MB };

/** Stands before the script of the kernel's worker, and notes the memory of the module. */
const NOTE = `const make = WebAssembly.instantiate;
WebAssembly.instantiate = async (...args) => {
  const made = await make(...args);
  const { exports } = made.instance ?? made;
  self.memory ??= Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
  return made;
};
`;

/** Bytes of the kernel's memory. */
async function memoryOf(page) {
  const all = await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.memory?.buffer.byteLength ?? 0)));
  const bytes = Math.max(0, ...all);
  if (bytes === 0) throw new Error('the memory of the kernel was not found');
  return bytes;
}

/** Source text, 4 KB a file in the mean, as a zip; and the size of the largest file. */
function sources(count) {
  const next = seeded(7);
  const files = {};
  let largest = 0;
  for (let n = 0; n < count; n += 1) {
    let source = '';
    for (const wanted = 1000 + next() * 6000; source.length < wanted;) {
      source += `const v${Math.floor(next() * 1e9)} = ${next() < 0.002 ? 'needle42' : Math.floor(next() * 1e6)};\n`;
    }
    largest = Math.max(largest, source.length);
    files[`src/part${Math.floor(n / 400)}/module${Math.floor(n / 20)}/file${n}.js`] = source;
  }
  return { content: zip(files), largest };
}

/** One file as large as files may be, in which nothing repeats. */
function largest() {
  const content = Buffer.alloc(LARGEST);
  for (let at = 0, state = 1; at < LARGEST; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    content.writeUInt32LE(state, at);
  }
  return { content, largest: LARGEST };
}

const CASES = [
  { what: '2000 files', name: 'small.zip', make: () => sources(2_000) },
  { what: '20000 files', name: 'many.zip', make: () => sources(20_000) },
  { what: 'one of 100 MB', name: 'large.bin', make: largest },
];

/** The release build, whose kernel tells its memory. */
async function serveNoted(dir) {
  await cp(DIST, dir, { recursive: true });
  const worker = join(dir, 'worker.js');
  await writeFile(worker, NOTE + (await readFile(worker, 'utf8')));
  return serve({ dir, port: 0 });
}

/** Brings `path` into an empty workspace and searches all of it; a page that is opened anew tells what the names take. */
async function grown(browser, url, path) {
  const endpoint = await startEndpoint(({ body }) => (
    body.messages.at(-1).role === 'tool' ? text('Done.') : calls(call('grep', { pattern: 'needle\\d+;$', mode: 'count' }))
  ));
  const context = await browser.newContext();
  const page = await openPage(context, url);
  const search = async () => {
    await send(page, 'Search');
    await waitStopped(page, 'Completed');
  };
  const anew = async () => {
    await page.reload();
    await ready(page);
    await search();
  };
  await setup(page, endpoint);
  await anew();
  const empty = await memoryOf(page);
  await page.getByTestId('import-input').setInputFiles(path);
  await page.getByTestId('toast').filter({ hasText: ' added' }).waitFor({ timeout: 180_000 });
  const imported = (await memoryOf(page)) - empty;
  await search();
  const searched = (await memoryOf(page)) - empty;
  await page.reload();
  await ready(page);
  const index = Math.max(0, (await memoryOf(page)) - empty);
  await context.close();
  await endpoint.close();
  return { imported, searched, index };
}

export async function measureMemory(browser) {
  const dir = await mkdtemp(join(tmpdir(), 'tabloop-bench-'));
  const site = await serveNoted(join(dir, 'dist'));
  try {
    const figures = [];
    for (const { what, name, make } of CASES) {
      const { content, largest } = make();
      const path = join(dir, name);
      await writeFile(path, content);
      figures.push({ what, largest, ...(await grown(browser, site.url, path)) });
      await rm(path);
    }
    return figures;
  } finally {
    await site.close();
    await rm(dir, { recursive: true });
  }
}

const limit = ({ largest, index }) => BUDGET.largest * largest + index + BUDGET.buffers;

export function printMemory(figures, table) {
  const mb = (bytes) => (bytes / MB).toFixed(1);
  console.log('\nMemory of the kernel, grown by; MB');
  table(['workspace', 'import', 'and search', 'largest file', 'index', 'of what it may'], figures.map((one) => [
    one.what, mb(one.imported), mb(one.searched), mb(one.largest), mb(one.index), (one.searched / limit(one)).toFixed(2),
  ]));
}

/** What is over the budget, in sentences. */
export const memoryOver = (figures) => figures
  .filter((one) => one.searched > limit(one))
  .map(({ what }) => `the kernel's memory grows by more than twice the largest file, with ${what}`);
