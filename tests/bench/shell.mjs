// Measures the shell: from its first use to the end of its first command, on a machine that never
// saw it and from the browser's cache, and what it weighs on the wire.

import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { send, setup, waitStopped } from '../e2e/app.mjs';
import { lastResults } from '../e2e/conversation.mjs';
import { call, calls, startEndpoint, text } from '../e2e/endpoint.mjs';
import { DIST, openPage, ready } from '../e2e/harness.mjs';

const RUNS = 7;

/** From the end of the answer that calls the shell to the request that tells what came of it; ms. */
async function first(page, endpoint) {
  const from = endpoint.requests.length;
  await send(page, 'Run it');
  await waitStopped(page, 'Completed');
  const [asked, told] = endpoint.requests.slice(from);
  const [result] = lastResults(told.body);
  if (!/^exit code 0\nstdout:\nhere$/.test(result)) throw new Error(`the shell said: ${result}`);
  return told.arrivedAt - asked.endedAt;
}

/** In turns: a context that never saw the shell, the same one after a reload, and a shell that is there. */
export async function measureShell(browser, site) {
  const times = { cold: [], cached: [], again: [] };
  for (let run = 0; run < RUNS; run += 1) {
    const endpoint = await startEndpoint(({ body }) => (
      body.messages.at(-1).role === 'tool' ? text('Done.') : calls(call('bash', { command: 'echo here' }))
    ));
    const context = await browser.newContext();
    const page = await openPage(context, site.url);
    await setup(page, endpoint);
    times.cold.push(await first(page, endpoint));
    times.again.push(await first(page, endpoint));
    await page.reload();
    await ready(page);
    times.cached.push(await first(page, endpoint));
    await context.close();
    await endpoint.close();
  }
  const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];
  return { times: Object.fromEntries(Object.entries(times).map(([which, all]) => [which, median(all)])), ...(await weight()) };
}

/** Bytes on the wire: the module is packed already, its script is packed by the server. */
async function weight() {
  const names = (await readdir(DIST)).filter((name) => name.startsWith('shell-'));
  const of = (ending) => join(DIST, names.find((name) => name.endsWith(ending)));
  return {
    module: (await stat(of('.wasm.gzip'))).size,
    script: gzipSync(await readFile(of('.js')), { level: 9 }).length,
  };
}

export function printShell({ times, module, script }, table) {
  console.log(`\nThe shell, from a call to its result; ms, median of ${RUNS}`);
  table(['first use', 'first use after a reload', 'next run', 'bytes on the wire'], [
    [times.cold.toFixed(0), times.cached.toFixed(0), times.again.toFixed(0), String(module + script)],
  ]);
}
