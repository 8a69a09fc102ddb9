// States of changes, checkpoints and undoing for shots.mjs.

import { call, calls, text } from './endpoint.mjs';
import { importFiles, send, setup, startDemo, waitStopped } from './app.mjs';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

const CODE = `fn main() {
    let list = read("list.txt");
    for line in list.lines() {
        println!("{line}");
    }
}

/// Reads a file as text.
fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn unused() {}

fn sum(numbers: &[u32]) -> u32 {
    numbers.iter().sum()
}
`;
const BETTER = CODE
  .replace('let list = read("list.txt");', 'let path = std::env::args().nth(1).unwrap_or_else(|| "list.txt".into());\n    let list = read(&path);')
  .replace('fn unused() {}\n\n', '')
  .replace('numbers.iter().sum()', 'numbers.iter().copied().sum()');

const LONG = `a-folder-with-a-long-name/${'deeper/'.repeat(9)}a-file-whose-name-is-long-as-well-and-goes-on.md`;

const edits = () => [
  calls(
    call('write_file', { path: 'src/main.rs', content: BETTER }),
    call('write_file', { path: LONG, content: '# Notes\n\nSome.\n' }),
    call('delete', { path: 'old.txt' }),
    call('move', { from: 'notes.md', to: 'docs/notes.md' }),
    call('copy', { from: 'dot.png', to: 'dot-2.png' }),
  ),
  text('The program takes the path of the list as its argument now; the unused function is gone.'),
];

const many = () => [
  calls(...Array.from({ length: 100 }, (_, n) => call('write_file', { path: `data/part-${String(n).padStart(3, '0')}.csv`, content: 'a,b\n1,2\n'.repeat(1 + n % 5) }))),
  text('A hundred parts are written.'),
];

const choose = async (page, tab) => {
  const button = page.getByTestId(tab);
  if (await button.isVisible()) await button.click();
};

async function openChanges(page) {
  await choose(page, 'tab-files');
  await page.getByTestId('view-changes').click();
  await page.getByTestId('changes-view').waitFor();
}

const first = () => calls(call('write_file', { path: 'src/main.rs', content: CODE }));

/** As those of shots.mjs. */
export const changesStates = {
  'changes-empty': {
    steps: async (page) => {
      await startDemo(page);
      await openChanges(page);
      await page.getByTestId('changes-none').waitFor();
    },
  },
  'changes-run': {
    script: [first(), text('There it is.'), ...edits()],
    steps: async (page, endpoint) => {
      await twice(page, endpoint);
      await openChanges(page);
      await page.getByTestId('diff-hunk').nth(3).waitFor();
    },
  },
  'changes-side': {
    script: [first(), text('There it is.'), ...edits()],
    steps: async (page, endpoint) => {
      await twice(page, endpoint);
      await openChanges(page);
      await page.getByTestId('changes-side').click();
      await page.locator('.side__line').first().waitFor();
      for (let n = 0; n < 14; n += 1) await page.locator('.separator').press('ArrowLeft').catch(() => {});
      await page.locator('[data-path="src/main.rs"]').getByTestId('diff-hunk').first().evaluate((all) => all.scrollIntoView());
      await page.locator('[data-path="src/main.rs"]').getByTestId('hunk-review').first().click();
      await page.locator('[data-path="dot-2.png"]').getByTestId('change-review').click();
    },
  },
  'changes-many': {
    script: many(),
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, 'Write the parts');
      await waitStopped(page, 'Completed');
      await openChanges(page);
      await page.getByTestId('diff-file').nth(99).waitFor({ state: 'attached' });
      await page.getByTestId('changes-revert-all').click();
    },
  },
  'undo-question': {
    script: [first(), text('There it is.'), ...edits()],
    steps: async (page, endpoint) => {
      await twice(page, endpoint);
      await page.getByTestId('stop-reason').last().getByTestId('checkpoint-undo').click();
      await page.getByTestId('undo-panel').filter({ hasText: 'main.rs' }).waitFor();
      await page.getByTestId('undo-panel').evaluate((panel) => panel.scrollIntoView({ block: 'end' }));
    },
  },
  'undo-done': {
    script: [first(), text('There it is.'), ...edits()],
    steps: async (page, endpoint) => {
      await twice(page, endpoint);
      const last = page.getByTestId('round-card').nth(2);
      await last.hover();
      await last.getByTestId('checkpoint-undo').click();
      await page.getByTestId('undo-confirm').click();
      await page.getByTestId('undone-card').waitFor();
    },
  },
  checkpoints: {
    script: [first(), text('There it is.'), ...edits()],
    steps: async (page, endpoint) => {
      await twice(page, endpoint);
      await openChanges(page);
      await page.getByTestId('checkpoints-open').click();
      await page.getByTestId('checkpoint').first().waitFor();
      await page.getByTestId('checkpoint-restore').first().click();
    },
  },
};

/** A run that writes the program, and one that changes it. */
async function twice(page, endpoint) {
  await setup(page, endpoint);
  await choose(page, 'tab-files');
  await importFiles(page, { 'notes.md': 'n\n', 'old.txt': 'old\n', 'dot.png': PNG });
  await choose(page, 'tab-chat');
  await send(page, 'Write a program that prints a list');
  await waitStopped(page, 'Completed');
  await send(page, 'Let it take the path of its list as an argument, and tidy it up');
  await waitStopped(page, 'Completed');
}
