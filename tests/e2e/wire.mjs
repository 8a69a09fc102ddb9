// What the scripted endpoint puts on the wire: a reply as the events of a stream, and
// these in pieces.

export const MODEL = 'scripted-model';

/** Sends a reply that is a body and no stream. */
export function send(response, { status, contentType, content, headers }) {
  response.writeHead(status, { 'content-type': contentType, ...headers });
  response.end(content);
}

function chunk(n, choices, usage) {
  return JSON.stringify({
    id: `chatcmpl-${n}`, object: 'chat.completion.chunk', created: 1_700_000_000, model: MODEL, choices,
    ...(usage && { usage }),
  });
}

const delta = (n, delta, finish_reason = null) => chunk(n, [{ index: 0, delta, finish_reason }]);

/** The events of all that a reply says. */
export function deltas(reply, n) {
  return [
    delta(n, { role: 'assistant', content: '' }),
    ...pieces(reply.content).map((content) => delta(n, { content })),
    ...callDeltas(reply.calls, n),
  ];
}

// The pieces of several calls' arguments come in turns, so that only the index tells
// which call a piece belongs to.
function callDeltas(list, n) {
  const opened = list.map(({ name }, index) =>
    delta(n, { tool_calls: [{ index, id: `call_${n}_${index}`, type: 'function', function: { name, arguments: '' } }] }));
  const queues = list.map(({ args }) => pieces(args));
  const rest = [];
  for (let turn = 0; queues.some((queue) => turn < queue.length); turn += 1) {
    queues.forEach((queue, index) => {
      if (turn < queue.length) rest.push(delta(n, { tool_calls: [{ index, function: { arguments: queue[turn] } }] }));
    });
  }
  return [...opened, ...rest];
}

/** The events that end a reply. */
export function endings(reply, { n, body }) {
  const [sent, received, cached] = reply.tokens ?? [100 * n, 10, 0];
  const usage = body.stream_options?.include_usage
    ? [chunk(n, [], {
      prompt_tokens: sent, completion_tokens: received, total_tokens: sent + received,
      ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached } }),
    })]
    : [];
  return [delta(n, {}, reply.finish ?? (reply.calls.length > 0 ? 'tool_calls' : 'stop')), ...usage, '[DONE]'];
}

function pieces(content, size = 7) {
  const characters = [...content];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''));
}

/** Events as the frames of a stream. */
export function frame(events, { crlf, keepAlives }) {
  const end = crlf ? '\r\n' : '\n';
  return events.map((data) => `${keepAlives ? `: keep-alive${end}${end}` : ''}data: ${data}${end}${end}`);
}

/** Writes frames in pieces. */
export async function writeCut(response, frames, { cut, random }) {
  const bytes = Buffer.from(frames.join(''));
  for (let at = 0; at < bytes.length;) {
    const size = { 0: bytes.length, random: 1 + Math.floor(random() * 17) }[cut] ?? cut;
    // Waiting until each piece is out keeps them from leaving as one.
    await new Promise((resolve) => response.write(bytes.subarray(at, at + size), resolve));
    at += size;
  }
}

/** A small seeded generator (mulberry32), so that a failing cut comes again. */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
