// The states of a full disk, for shots.mjs.

import { text } from './endpoint.mjs';
import { importFiles, send, setup, waitStopped } from './app.mjs';

const isNarrow = (page) => page.viewportSize().width < 700;

/** Shows the files, also where they have a place of their own. */
const showFiles = async (page) => {
  if (isNarrow(page)) await page.getByTestId('tab-files').click();
};

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
};
