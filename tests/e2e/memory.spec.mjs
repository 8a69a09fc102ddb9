// A browser without IndexedDB (some private modes): everything works, and the user is
// told that nothing is kept.

import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { fileRow, openFile, send, setup, waitShown, waitStopped } from './app.mjs';

const WITHOUT = "Object.defineProperty(self, 'indexedDB', { value: undefined, configurable: true });\n";

// Scripts added to pages don't reach workers, so the worker's own file gets the line.
async function withoutIndexedDb(context) {
  await context.addInitScript(WITHOUT);
  await context.route('**/worker.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: WITHOUT + (await response.text()) });
  });
}

test('without IndexedDB the page works in memory and says so', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'fleeting.txt', content: 'gone with the tab\n' })),
    text('Written, for now.'),
  ]);
  const page = await t.open({ prepare: withoutIndexedDb });
  await setup(page, endpoint);
  await page.getByTestId('notice-memory').waitFor();
  await send(page, 'Write a file');
  await waitStopped(page, 'Completed');
  await fileRow(page, 'fleeting.txt').waitFor();
  await openFile(page, 'fleeting.txt');
  await waitShown(page, 'gone with the tab\n');
});
