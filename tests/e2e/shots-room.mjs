// The states of a full disk and of a linked folder, for shots.mjs.

import { text } from './endpoint.mjs';
import { importFiles, reload, send, setup, waitStopped } from './app.mjs';

const isNarrow = (page) => page.viewportSize().width < 700;

/** Shows the files, also where they have a place of their own. */
const showFiles = async (page) => {
  if (isNarrow(page)) await page.getByTestId('tab-files').click();
};

/** A folder whose files are others than the workspace's. */
const withFolder = (page) => page.addInitScript(() => {
  window.showDirectoryPicker = async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('my-site', { create: true });
    for (const name of ['index.html', 'src/app.js', 'what?.txt']) {
      try {
        const [first, second] = name.split('/');
        const place = second ? await folder.getDirectoryHandle(first, { create: true }) : folder;
        const stream = await (await place.getFileHandle(second ?? first, { create: true })).createWritable();
        await stream.write(`of the disk: ${name}`);
        await stream.close();
      } catch {}
    }
    return folder;
  };
});

async function link(page) {
  await withFolder(page);
  await reload(page);
  await showFiles(page);
  await importFiles(page, { 'index.html': 'mine', 'notes.md': 'mine' });
  await page.getByTestId('import-menu').click();
  await page.getByTestId('link-folder').click();
  await page.getByTestId('link-state').filter({ hasText: /1 / }).waitFor();
}

/** Each state: what the endpoint answers, and how a user gets there. */
export const roomStates = {
  'room-dialog': {
    script: [text('Hello.')],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, 'What is in these files, and what could be better about them?');
      await waitStopped(page, 'Completed');
      await showFiles(page);
      await importFiles(page, { 'old.bin': Buffer.alloc(3_000_000, 7) });
      await page.locator('[data-testid="file-row"][data-path="old.bin"]').click({ button: 'right' });
      await page.getByTestId('file-menu-delete').click();
      if (isNarrow(page)) await page.getByTestId('tab-sessions').click();
      await page.getByTestId('settings-open').click();
      await page.getByTestId('free-space').click();
      await page.getByTestId('room-item').first().waitFor();
      await page.getByTestId('room-free').first().click();
    },
  },
  'link-menu': {
    script: [],
    steps: async (page, endpoint) => {
      await withFolder(page);
      await reload(page);
      await setup(page, endpoint);
      await showFiles(page);
      await page.getByTestId('import-menu').click();
      await page.getByTestId('link-folder').waitFor();
    },
  },
  'link-line': {
    script: [],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await link(page);
    },
  },
  'link-dialog': {
    script: [],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await link(page);
      await page.getByTestId('link-open').click();
      await page.getByTestId('link-conflict').waitFor();
    },
  },
  'link-blocked': {
    script: [],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await withFolder(page);
      await reload(page);
      await showFiles(page);
      const long = `a-folder-with-a-long-name/${'deeper/'.repeat(6)}a-file-whose-name-is-long-as-well.md`;
      await importFiles(page, { 'notes.md': 'mine', Notes: 'mine', NOTES: 'mine', [long]: '1', [long.toUpperCase()]: '2' });
      await page.getByTestId('import-menu').click();
      await page.getByTestId('link-folder').click();
      await page.getByTestId('link-open').click();
      await page.getByTestId('link-blocked').waitFor();
    },
  },
  'link-stop': {
    script: [],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await withFolder(page);
      await reload(page);
      await showFiles(page);
      for (const worker of page.workers()) {
        await worker.evaluate(() => { FileSystemDirectoryHandle.prototype.values = () => ({ next: () => new Promise(() => {}) }); });
      }
      await page.getByTestId('import-menu').click();
      await page.getByTestId('link-folder').click();
      await page.getByTestId('link-open').click();
      await page.getByTestId('link-stop-now').waitFor();
      await page.waitForTimeout(600);
    },
  },
  'link-missing': {
    script: [],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await withFolder(page);
      await reload(page);
      await showFiles(page);
      await importFiles(page, { 'web/page.txt': 'page' });
      const folder = page.locator('[data-testid="file-row"][data-path="web"]');
      await folder.click({ button: 'right' });
      await page.getByTestId('file-menu-link').click();
      await page.getByTestId('link-state').filter({ hasText: /1 / }).waitFor();
      await folder.click({ button: 'right' });
      await page.getByTestId('file-menu-delete').click();
      await page.getByTestId('link-sync').click();
      await page.getByTestId('link-open').click();
      await page.getByTestId('link-told').filter({ hasText: /web/ }).waitFor();
    },
  },
};
