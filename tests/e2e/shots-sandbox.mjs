// The states of scripts and previews, for shots.mjs.

import { call, calls, text } from './endpoint.mjs';
import { cardText, importFiles, send, setup, waitStopped } from './app.mjs';

const isNarrow = (page) => page.viewportSize().width < 700;

/** Adds files, whose rows can be seen only where the pane is. */
async function bringIn(page, files) {
  if (isNarrow(page)) await page.getByTestId('tab-files').click();
  await importFiles(page, files);
  if (isNarrow(page)) await page.getByTestId('tab-chat').click();
}

const SITE = {
  'index.html': `<!doctype html><title>Bakery</title><style>
body { font: 16px/1.5 system-ui; margin: 24px; color: #233 } h1 { color: #a40 } table { border-collapse: collapse } td { border: 1px solid #cbb; padding: 4px 12px }
</style><h1>Bakery</h1><p>Today's bread</p><table id="t"></table><button onclick="this.textContent='Ordered'">Order</button><script src="app.js"></script>`,
  'app.js': 'for (const [name, price] of [["Rye", 3.2], ["Wheat", 2.9], ["Spelt", 4.1]]) document.getElementById("t").innerHTML += `<tr><td>${name}</td><td>${price}</td></tr>`;\nconsole.log("3 kinds");\nmissing();\n',
};
const CODE = `const rows = (await files.read('sales.csv')).trim().split('\\n').slice(1);
const sums = {};
for (const row of rows) {
  const [day, kind, n] = row.split(',');
  sums[kind] = (sums[kind] ?? 0) + Number(n);
}
console.log(rows.length + ' rows');
await files.write('sums.json', JSON.stringify(sums, null, 2));
sums`;

/** Each state: what the endpoint answers, and how a user gets there. */
export const sandboxStates = {
  'sandbox-preview': {
    script: [calls(call('preview', { path: 'index.html' })), text('The page shows, but `missing` in app.js is not defined.')],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await bringIn(page, SITE);
      await send(page, 'Look at the page');
      await waitStopped(page, 'Completed');
      if (isNarrow(page)) await page.getByTestId('tab-files').click();
    },
  },
  'sandbox-told': {
    script: [calls(call('preview', { path: 'index.html' })), text('The page shows, but `missing` in app.js is not defined.')],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await bringIn(page, SITE);
      await send(page, 'Look at the page');
      await waitStopped(page, 'Completed');
      await cardText(page.getByTestId('tool-card'), 'tool-result');
    },
  },
  'sandbox-hangs': {
    script: [calls(call('preview', { path: 'loop.html' })), text('The page has a loop without an end.')],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await bringIn(page, { 'loop.html': '<script>setTimeout(() => { for (;;); }, 100)</script>' });
      await send(page, 'Look at the page');
      await page.getByTestId('preview-gone').waitFor({ state: 'attached', timeout: 30_000 });
      await waitStopped(page, 'Completed');
      if (isNarrow(page)) await page.getByTestId('tab-files').click();
    },
  },
  'sandbox-script': {
    script: [calls(call('run_js', { code: CODE })), text('The sums stand in sums.json.')],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await bringIn(page, { 'sales.csv': 'day,kind,n\n1,rye,12\n1,wheat,30\n2,rye,9\n' });
      await send(page, 'Sum up the sales');
      await waitStopped(page, 'Completed');
      await cardText(page.getByTestId('tool-card'), 'tool-result');
    },
  },
};
