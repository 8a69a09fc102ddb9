// Runs the end-to-end tests one after the other.
//
//   node run.mjs            all of them
//   node run.mjs stop demo  those with one of the words in their file's name or their own

import { readdir, rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { attempt, launch, serveDist, tests } from './harness.mjs';

const here = new URL('./', import.meta.url);
const words = process.argv.slice(2).map((word) => word.toLowerCase());

async function collect() {
  const files = (await readdir(here)).filter((file) => file.endsWith('.spec.mjs')).sort();
  const found = [];
  for (const file of files) {
    const before = tests.length;
    await import(new URL(file, here));
    found.push(...tests.slice(before).map((test) => ({ ...test, title: `${file.replace('.spec.mjs', '')}: ${test.name}` })));
  }
  return found.filter(({ title }) => words.length === 0 || words.some((word) => title.toLowerCase().includes(word)));
}

await rm(new URL('output/', here), { recursive: true, force: true });

const chosen = await collect();
const site = await serveDist();
const browser = await launch();
let failed = 0;
for (const test of chosen) {
  const start = performance.now();
  const error = await attempt(browser, site, { ...test, name: test.title });
  const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(5);
  console.log(`${error ? 'FAIL' : 'ok  '} ${seconds} s  ${test.title}`);
  if (error) {
    failed += 1;
    console.log(error.stack.replace(/^/gm, '       '));
  }
}
await site.close();
await browser.close();

if (failed > 0) console.log('Screenshots and consoles of the failures are in tests/e2e/output/.');
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 || chosen.length === 0 ? 1 : 0);
