// Several sessions beside each other.

import assert from 'node:assert/strict';
import { plain } from './conversation.mjs';
import { text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { reload, send, setup, waitAnswer, waitStopped } from './app.mjs';

const row = (page, title) => page.getByTestId('session-row').filter({ hasText: title });

async function isCurrent(page, title) {
  await page.locator('[data-testid="session-row"][aria-current]:not([aria-current="false"])').filter({ hasText: title }).waitFor();
  await page.getByTestId('session-title').filter({ hasText: title }).first().waitFor();
}

async function openSession(page, title) {
  await row(page, title).click();
  await isCurrent(page, title);
}

test('sessions are listed, switched and kept apart, also after a reload', async (t) => {
  const endpoint = await t.endpoint(({ body }) => text(`You said: ${plain(body.messages.at(-1).content)}`));
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Apples in the cellar');
  await waitStopped(page, 'Completed');
  await page.getByTestId('session-new').click();
  await page.getByTestId('message-user').waitFor({ state: 'detached' });
  await send(page, 'Pears in the loft');
  await waitStopped(page, 'Completed');
  await isCurrent(page, 'Pears in the loft');

  await openSession(page, 'Apples in the cellar');
  await waitAnswer(page, 'You said: Apples in the cellar');
  assert.equal(await page.getByText('You said: Pears in the loft').count(), 0);

  await reload(page);
  assert.equal(await page.getByTestId('session-row').count(), 2);
  for (const title of ['Pears in the loft', 'Apples in the cellar']) {
    await openSession(page, title);
    await waitAnswer(page, `You said: ${title}`);
  }

  await send(page, 'And plums');
  await waitStopped(page, 'Completed');
  const history = JSON.stringify(endpoint.requests.at(-1).body.messages);
  assert.match(history, /Apples in the cellar.*And plums/);
  assert.doesNotMatch(history, /Pears/);
});
