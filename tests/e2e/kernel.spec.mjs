// A kernel that dies is told and started again without a reload; nothing saved is lost.

import { call, calls, held, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { fileRow, send, setup, waitAnswer, waitCutOff, waitStopped } from './app.mjs';

const FIRST = [calls(call('write_file', { path: 'saved.txt', content: 'saved\n' })), text('It is saved.')];

/** The worker ends without a word, as when the browser takes its memory away. */
const end = (page) => void page.workers()[0].evaluate(() => self.close()).catch(() => {});

/** Something throws where nothing catches it. */
const fail = (page) => page.workers()[0].evaluate(() => void setTimeout(() => { throw new Error('thrown by the test'); }));

/** The program traps, as it does when it panics: here for want of memory that no machine has. */
const trap = async (page) => {
  const glue = await page.locator('link[rel="modulepreload"]').evaluate((link) => link.href);
  await page.workers()[0].evaluate(async (glue) => {
    const program = await (await import(glue)).default();
    setTimeout(() => program.__wbindgen_malloc(-1, 4));
  }, glue);
};

async function restart(page) {
  await page.getByTestId('notice-kernel').waitFor();
  await page.getByTestId('kernel-restart').click();
  await page.getByTestId('notice-kernel').waitFor({ state: 'hidden' });
  await page.locator('html[data-ready="true"]').waitFor();
}

async function isAllThere(page) {
  await page.getByTestId('message-user').filter({ hasText: 'Save something' }).waitFor();
  await waitAnswer(page, 'It is saved.');
  await fileRow(page, 'saved.txt').waitFor();
  await page.locator('[data-testid="tool-card"][data-tool="write_file"][data-state="ok"]').waitFor();
}

async function goesOn(page, answer) {
  await send(page, 'Is it still there?');
  await waitStopped(page, 'Completed');
  await waitAnswer(page, answer);
}

const ENDS = { 'ends without a word': end, 'fails with an uncaught error': fail, 'panics': trap };
for (const [how, kill] of Object.entries(ENDS)) {
  test(`a kernel that ${how} is started again`, async (t) => {
    t.expectedErrors.push(/thrown by the test|RuntimeError: unreachable/);
    const endpoint = await t.endpoint([...FIRST, text('Still there.')]);
    const page = await t.open();
    await setup(page, endpoint);
    await send(page, 'Save something');
    await waitStopped(page, 'Completed');

    await kill(page);
    await restart(page);
    await isAllThere(page);
    await goesOn(page, 'Still there.');
  });
}

test('a kernel that ends in the middle of a run is started again', async (t) => {
  const endpoint = await t.endpoint([...FIRST, held(text('I was about to say')), text('Said at last.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Save something');
  await waitStopped(page, 'Completed');
  await send(page, 'Say something');
  await waitAnswer(page, 'I was about to say');

  await end(page);
  await restart(page);
  await until('the connection is closed', () => endpoint.requests[2].aborted);
  await waitCutOff(page);
  await isAllThere(page);
  await goesOn(page, 'Said at last.');
});
