// The states of images in the conversation and of PDFs, for shots.mjs.

import { call, calls, failure, text } from './endpoint.mjs';
import { importFiles, openFile, send, setup, startDemo, waitStopped } from './app.mjs';
import { lockedPaper, paper } from './pdf.mjs';

const isNarrow = (page) => page.viewportSize().width < 700;

async function bringIn(page, files) {
  if (isNarrow(page)) await page.getByTestId('tab-files').click();
  await importFiles(page, files);
}
const back = async (page) => isNarrow(page) && page.getByTestId('tab-chat').click();

/** A picture of a screen, drawn by the browser. */
const screen = async (page) => Buffer.from(await page.evaluate(async () => {
  const canvas = new OffscreenCanvas(1200, 800);
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#234';
  pen.fillRect(0, 0, 1200, 800);
  pen.fillStyle = '#fc6';
  pen.fillRect(120, 200, 600, 300);
  const blob = await canvas.convertToBlob();
  return [...new Uint8Array(await blob.arrayBuffer())];
}));

const look = calls(call('read_file', { path: 'screen.png' }));

async function looked(page, endpoint) {
  await setup(page, endpoint);
  await bringIn(page, { 'screen.png': await screen(page) });
  await back(page);
  await send(page, 'What does the picture show?');
  await waitStopped(page, 'Completed');
  const round = page.getByTestId('round-card').first();
  if (!(await round.getByTestId('tool-picture').count())) await round.locator('button').first().click();
  await page.getByTestId('tool-picture').first().waitFor();
  await page.waitForTimeout(300);
}

async function opened(page, name, content, ready) {
  await startDemo(page);
  await bringIn(page, { [name]: content });
  await openFile(page, name);
  await page.getByTestId(ready).filter({ hasText: /\S/ }).waitFor();
  await page.waitForTimeout(500);
}

/** Each state: what the endpoint answers, and how a user gets there. */
export const viewerStates = {
  'viewer-picture': { script: [look, text('A yellow box on dark blue.')], steps: looked },
  'viewer-picture-refused': {
    script: [look, failure(400, { message: 'image_url is only supported by certain models.' }), text('I can not see it.')],
    steps: looked,
  },
  'viewer-pdf': { steps: (page) => opened(page, 'paper.pdf', paper(12), 'pdf-page') },
  'viewer-pdf-locked': { steps: (page) => opened(page, 'locked.pdf', lockedPaper(), 'pdf-problem') },
  'viewer-endpoint-images': {
    steps: async (page) => {
      await page.getByTestId('setup-more').click();
      await page.getByTestId('option-images').scrollIntoViewIfNeeded();
    },
  },
};
