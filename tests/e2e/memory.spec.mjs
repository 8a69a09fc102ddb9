// A browser without IndexedDB (some private modes): everything works, and the user is
// told that nothing is kept.

import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { fileRow, openFile, send, setup, waitShown, waitStopped } from './app.mjs';

// The worker alone opens databases; scripts that a test adds to a page don't reach it.
const WITHOUT = "Object.defineProperty(self, 'indexedDB', { value: undefined, configurable: true });\n";

test('without IndexedDB the page works in memory and says so', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'fleeting.txt', content: 'gone with the tab\n' })),
    text('Written, for now.'),
  ]);
  const site = await t.serveWith('worker.js', WITHOUT);
  const page = await t.open({ url: site.url });
  await setup(page, endpoint);
  await page.getByTestId('notice-memory').waitFor();
  await send(page, 'Write a file');
  await waitStopped(page, 'Completed');
  await fileRow(page, 'fleeting.txt').waitFor();
  await openFile(page, 'fleeting.txt');
  await waitShown(page, 'gone with the tab\n');
});
