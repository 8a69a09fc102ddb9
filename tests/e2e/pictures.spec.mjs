// Images that the model reads: they go to the endpoint, and stand small in the conversation.

import assert from 'node:assert/strict';
import { plain } from './conversation.mjs';
import { call, calls, failure, text } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { importFiles, reload, send, setup, toolCards, waitAnswer, waitStopped } from './app.mjs';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGNgYPgPQhAGABHwA/26hNfQAAAAAElFTkSuQmCC', 'base64');
const ADDRESS = `data:image/png;base64,${PNG.toString('base64')}`;
const look = calls(call('read_file', { path: 'dot.png' }));

/** The addresses of all images in a request. */
const images = ({ body }) => body.messages.flatMap(({ content }) =>
  (Array.isArray(content) ? content : []).flatMap((part) => part.image_url?.url ?? []));

/** Waits until the small image in the conversation is drawn, and gives its width in dots. */
const drawn = (page) => until('the image is drawn', () =>
  page.getByTestId('tool-picture').first().evaluate(({ complete, naturalWidth }) => complete && naturalWidth));

test('an image goes to the endpoint behind the result, and stands in the conversation, also after a reload', async (t) => {
  const endpoint = await t.endpoint([look, text('Three dots wide.'), text('Still.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'dot.png': PNG });
  await send(page, 'What is in dot.png?');
  await waitAnswer(page, 'Three dots wide.');
  await waitStopped(page, 'Completed');
  const { messages } = endpoint.requests[1].body;
  assert.equal(messages.at(-2).role, 'tool');
  assert.match(messages.at(-2).content, /^dot\.png is a PNG image of 3 × 2 pixels, 72 bytes\.\n\[It is shown behind the results\.\]$/);
  assert.equal(messages.at(-1).role, 'user');
  assert.equal(plain(messages.at(-1).content), '[Tabloop] Shown as read: dot.png');
  assert.deepEqual(images(endpoint.requests[1]), [ADDRESS]);
  assert.equal(await drawn(page), 3);
  await reload(page);
  assert.equal(await drawn(page), 3);
  await send(page, 'And now?');
  await waitAnswer(page, 'Still.');
  assert.deepEqual(images(endpoint.requests[2]), [ADDRESS]);
  // A press on it leads to the file.
  await page.getByTestId('tool-picture').first().click();
  await page.getByTestId('image-size').filter({ hasText: '3 × 2 pixels' }).waitFor();
});

test('a host that takes no images is asked without, the user is told, and can say so beforehand', async (t) => {
  const refusal = failure(400, { message: 'Invalid content type. image_url is only supported by certain models.' });
  const endpoint = await t.endpoint([look, refusal, text('I see nothing.'), look, text('Nor now.')], { shortens: true });
  const page = await t.open();
  await setup(page, endpoint);
  await importFiles(page, { 'dot.png': PNG });
  await send(page, 'What is in dot.png?');
  await waitAnswer(page, 'I see nothing.');
  await waitStopped(page, 'Completed');
  assert.deepEqual(endpoint.requests.map((request) => images(request).length), [0, 1, 0]);
  assert.match(endpoint.requests[2].body.messages.at(-1).content, /\[This model takes no images, so it is not shown\.\]$/);
  await page.getByText('images are left out', { exact: false }).first().waitFor();
  assert.deepEqual(await toolCards(page), ['read_file ok']);
  // What the user says is kept, and what was learnt is forgotten with it.
  await page.getByTestId('settings-open').click();
  await page.getByTestId('endpoint-edit').first().click();
  await page.getByTestId('setup-more').click();
  assert.equal(await page.getByTestId('option-images').inputValue(), 'auto');
  await page.getByTestId('option-images').selectOption('never');
  await page.getByTestId('setup-save').click();
  await page.getByTestId('setup-save').waitFor({ state: 'hidden' });
  await page.keyboard.press('Escape');
  await page.getByTestId('endpoint-add').waitFor({ state: 'hidden' });
  await send(page, 'Look again');
  await waitAnswer(page, 'Nor now.');
  assert.equal(images(endpoint.requests[4]).length, 0);
});

test('a large image is sent smaller, and after a reload as the same bytes', async (t) => {
  const endpoint = await t.endpoint([calls(call('read_file', { path: 'wide.png' })), text('Noise.'), text('Still noise.')]);
  const page = await t.open();
  await setup(page, endpoint);
  const wide = Buffer.from(await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(2600, 200);
    const pen = canvas.getContext('2d');
    for (let x = 0; x < 2600; x += 13) {
      pen.fillStyle = `hsl(${x} 80% 50%)`;
      pen.fillRect(x, x % 97, 9, 100);
    }
    return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
  }));
  await importFiles(page, { 'wide.png': wide });
  await send(page, 'Look');
  await waitAnswer(page, 'Noise.');
  await waitStopped(page, 'Completed');
  const [address] = images(endpoint.requests[1]);
  assert.match(address, /^data:image\/png;base64,/);
  const size = await page.evaluate(async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  }, address);
  assert.deepEqual(size, [2000, 153]);
  await reload(page);
  // That each request begins with the one before is checked by the endpoint.
  await send(page, 'And now?');
  await waitAnswer(page, 'Still noise.');
  assert.deepEqual(images(endpoint.requests[2]), [address]);
});
