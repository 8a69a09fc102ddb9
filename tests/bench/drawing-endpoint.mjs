// The endpoint of the drawing bench, in a process of its own: answers every request with one
// text in deltas of 24 bytes, as fast as it can or so many a second.
//
// Takes `{ size, rate }`; sends `{ sentAt }` when the last byte of an answer is out.

import { createServer } from 'node:http';
import { MODEL } from '../e2e/wire.mjs';
import { answer } from './answer.mjs';

/** Deltas a tick of the slow stream. */
const TICK_MS = 10;
const DELTA = 24;
let told = { size: 50_000, rate: 0 };

const chunk = (delta, finish = null) => `data: ${JSON.stringify({
  id: 'drawing', object: 'chat.completion.chunk', created: 0, model: MODEL,
  choices: [{ index: 0, delta, finish_reason: finish }],
})}\n\n`;

const server = createServer(async (request, response) => {
  const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'access-control-allow-methods': '*' };
  if (request.method === 'OPTIONS') return response.writeHead(204, open).end();
  if (!request.url.endsWith('/chat/completions')) {
    return response.writeHead(200, { ...open, 'content-type': 'application/json' })
      .end(JSON.stringify({ object: 'list', data: [{ id: MODEL, object: 'model' }] }));
  }
  for await (const _ of request);
  response.writeHead(200, { ...open, 'content-type': 'text/event-stream' });
  const text = answer(told.size);
  const frames = [];
  for (let at = 0; at < text.length; at += DELTA) frames.push(chunk({ content: text.slice(at, at + DELTA) }));
  if (told.rate === 0) response.write(frames.join(''));
  else await slowly(frames, (some) => response.write(some), told.rate);
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`, () => process.send({ sentAt: Date.now() }));
});

/** Writes so many frames a second, and catches up where a tick came late. */
async function slowly(frames, write, rate) {
  const start = performance.now();
  let sent = 0;
  while (sent < frames.length) {
    await new Promise((done) => setTimeout(done, TICK_MS));
    const due = Math.min(frames.length, Math.floor(((performance.now() - start) / 1000) * rate));
    if (due > sent) write(frames.slice(sent, due).join(''));
    sent = Math.max(sent, due);
  }
}

process.on('message', (message) => (told = message));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ baseUrl: `http://127.0.0.1:${server.address().port}/v1` }));
