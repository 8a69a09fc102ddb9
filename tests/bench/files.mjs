// Measures the workspace beside code that does the least possible with IndexedDB (`files.html`).

/** Sizes of the workspace that are measured, how often, and single writes. */
const RUNS = [
  { count: 2_000, runs: 7, singles: 500 },
  { count: 20_000, runs: 3, singles: 50 },
];
/** Times of the reference; ms of a checkpoint. */
const BUDGET = { import: 1.5, 'open and list': 1.5, writes: 1.5, checkpoint: 50 };

export async function measureFiles(browser, benchSite) {
  const page = await (await browser.newContext()).newPage();
  const failed = new Promise((_, reject) => page.on('pageerror', reject));
  await page.goto(`${benchSite.url}files.html`);
  await Promise.race([page.waitForFunction(() => window.run), failed]);
  const sizes = [];
  for (const { runs, ...size } of RUNS) {
    const all = [];
    // The first warms up and does not count.
    for (let run = 0; run <= runs; run += 1) all.push(await page.evaluate((args) => window.run(args), size));
    sizes.push({ ...size, runs, work: gathered(all.slice(1)) });
  }
  return { sizes, bytes: await page.evaluate((args) => window.doubled(args), { count: 2_000 }) };
}

/** The median of each piece of work. */
function gathered(all) {
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  return Object.keys(all[0]).map((what) => {
    const [ours, reference] = ['ours', 'reference'].map((who) => median(all.map((figures) => figures[what][who])));
    return { what, ours, reference };
  });
}

export function printFiles({ sizes, bytes }, table) {
  for (const { count, runs, work } of sizes) {
    console.log(`\n${count} files of 4 KB in the mean; ms, median of ${runs}`);
    table(['work', 'workspace', 'raw IndexedDB', 'ratio'], work.map(({ what, ours, reference }) => [
      what, ours.toFixed(1), reference.toFixed(1), (ours / reference).toFixed(2),
    ]));
  }
  const mb = (n) => `${(n / 1e6).toFixed(2)} MB`;
  console.log(`  rows of 2000 files of ${mb(bytes.raw)}: ${mb(bytes.once)}; with a second copy of each: ${mb(bytes.twice)}`);
}

/** What is over the budget, in sentences. */
export function filesOver({ sizes }) {
  return sizes.flatMap(({ count, work }) => work.flatMap(({ what, ours, reference }) => {
    if (what.startsWith('checkpoint')) {
      return ours > BUDGET.checkpoint ? [`a checkpoint of ${count} files takes over ${BUDGET.checkpoint} ms`] : [];
    }
    const limit = what.includes(' writes') ? BUDGET.writes : BUDGET[what];
    return limit && ours > limit * reference ? [`${what} of ${count} files is over ${limit} times raw IndexedDB`] : [];
  }));
}
