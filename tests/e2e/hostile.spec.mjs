// What the model says is text from a stranger: it is shown, and does nothing.

import assert from 'node:assert/strict';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { cardText, openFile, send, setup, waitAnswer, waitShown, waitStopped } from './app.mjs';

const EVIL = '<img src="x" onerror="window.injected = 1"><script>window.injected = 1</script>';
const ANSWER = `Look: ${EVIL}

![a picture](https://tracker.example/pixel.png)
[click](javascript:window.injected=1) [data](data:text/html,x) [good](https://example.com/page)

That was all.`;

test('markup, remote images and script links of an answer are harmless', async (t) => {
  const endpoint = await t.endpoint([
    calls(call('write_file', { path: 'evil.html', content: EVIL }), call(EVIL, {})),
    text(ANSWER),
  ]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, `Show me ${EVIL}`);
  await waitStopped(page, 'Completed');
  await waitAnswer(page, 'That was all.');
  await cardText(page.getByTestId('tool-card').first(), 'tool-args');
  await openFile(page, 'evil.html');
  await waitShown(page, EVIL);

  assert.equal(await page.evaluate(() => window.injected), undefined);
  const links = await page.getByTestId('message-assistant').locator('a').evaluateAll((all) =>
    all.map((link) => [link.getAttribute('href'), link.rel]));
  assert.deepEqual(links.map(([href]) => href).filter((href) => !/^https:\/\//.test(href)), []);
  for (const [, rel] of links) assert.match(rel, /noopener/);
  assert.ok(links.some(([href]) => href === 'https://example.com/page'), 'a plain link stays one');
  const own = new URL(page.url()).origin;
  const elsewhere = t.urls.filter((url) => ![own, endpoint.origin].includes(new URL(url).origin) && !url.startsWith('blob:'));
  assert.deepEqual(elsewhere, []);
});
