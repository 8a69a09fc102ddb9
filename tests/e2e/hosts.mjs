// Servers with the personalities of providers (`personalities.mjs`): they work on one
// task of three rounds and answer it only to who asks as they want to be asked.
//
// `wire` of a personality:
//   id(name, n)   the id of its nth call
//   thought       the field in which it thinks before each message with calls
//   details       the thought comes in signed pieces too
//   whole         calls come in one piece, not cut
//   index         'number', 'zero' for every call
//   laterId       the id on later pieces of a call
//   more(n)       further fields of its nth call
//   finish        finish_reason, whatever there was
//   usage         'last', 'choice', 'x_groq' or 'none'
//   done          whether [DONE] follows
//   comment, crlf, filters, inWords, wrapped: see below

import { createServer } from 'node:http';
import { once } from 'node:events';
import { faults, plain } from './conversation.mjs';

export const NOTES = 'tea\ncups\n';

/** What the model does: calls, round by round, then an answer. */
const ROUNDS = [
  [['read_file', { path: 'notes.txt' }]],
  [['write_file', { path: 'copy.txt', content: NOTES }], ['list_dir', {}]],
  [['read_file', { path: 'copy.txt' }]],
];
export const ANSWER = 'The copy is done: copy.txt.';
export const THOUGHT = 'What is asked of me is a copy.';

const isTold = ({ role, content }) => role === 'tool' || plain(content).startsWith('<tool_response');

/** Starts a server with `personality` on 127.0.0.1. */
export async function startHost(personality) {
  const host = new Host(personality);
  await host.listen();
  return host;
}

class Host {
  /** Bodies of all chat requests, in order. */
  bodies = [];
  /** What was refused, in its words. */
  refusals = [];
  /** What was wrong with requests, in sentences. */
  faults = [];
  #personality;
  #server;
  #calls = 0;
  /** The last body that was taken, unless something was refused since: what follows begins with it. */
  #before = null;

  constructor(personality) {
    this.#personality = personality;
  }

  async listen() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        this.faults.push(`the host failed: ${error.stack}`);
        response.destroy();
      });
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.origin = `http://127.0.0.1:${this.#server.address().port}`;
    this.baseUrl = `${this.origin}${this.#personality.base}`;
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request, response) {
    const { preflight, admits, chat, error } = this.#personality;
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      response.writeHead(204, {
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': ['authorization', 'content-type', ...preflight].join(', '),
      });
      response.end();
      return;
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url !== chat) {
      const isPage = chat === '/v1/chat/completions' && request.url === '/chat/completions';
      if (isPage) reply(response, 200, '<!doctype html><title>Home</title><p>Welcome</p>', 'text/html');
      else reply(response, 404, JSON.stringify(error('Resource not found', 404)));
      return;
    }
    if (!admits(request.headers)) {
      reply(response, 401, JSON.stringify(error('Access denied due to invalid subscription key or wrong API endpoint.', 401)));
      return;
    }
    this.#complete(JSON.parse(Buffer.concat(chunks).toString('utf8')), response);
  }

  #complete(body, response) {
    const { against, error, wire } = this.#personality;
    this.bodies.push(body);
    const refusal = against(body);
    if (refusal) {
      const [status, message, parameter] = refusal;
      this.refusals.push(message);
      this.#before = null;
      reply(response, status, JSON.stringify(error(message, status, parameter)));
      return;
    }
    const wrong = faults(this.#led(body), [this.#led(this.#before ?? body)]).filter((what) => what !== 'stream is not true');
    this.#before = body;
    this.faults.push(...wrong.map((what) => `request ${this.bodies.length}: ${what}`));
    const message = this.#message(body);
    if (body.stream) stream(response, message, body, wire);
    else reply(response, 200, JSON.stringify(wholeMessage(message, wire)));
  }

  /** With a system prompt in front, where the host has no role for one: the rules ask for it. */
  #led(body) {
    return this.#personality.systemless ? { ...body, messages: [{ role: 'system', content: '-' }, ...body.messages] } : body;
  }

  /** What the model says next. */
  #message({ messages }) {
    const task = messages.findLastIndex((message) => message.role === 'user' && !isTold(message));
    const round = messages.slice(task).filter(({ role }) => role === 'assistant').length;
    const { wire } = this.#personality;
    if (round >= ROUNDS.length) return { text: ANSWER, calls: [], thought: '' };
    const calls = ROUNDS[round].map(([name, args]) => {
      const n = this.#calls++;
      return { n, id: wire.id?.(name, n) ?? `call_${n}`, name, args: JSON.stringify(args) };
    });
    return { text: '', calls, thought: THOUGHT };
  }
}

function reply(response, status, content, type = 'application/json') {
  response.writeHead(status, { 'content-type': type });
  response.end(content);
}

// --- Messages on the wire ------------------------------------------------------------------

const inWords = ({ calls, text }) => calls.reduce(
  (all, { name, args }) => `${all}<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>\n`, text);

const details = (text, isLast) => [{ type: 'reasoning.text', text, index: 0, ...(isLast && { signature: 'S' }) }];

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** A message that is not streamed. */
function wholeMessage(message, wire) {
  const { text, calls } = message;
  const tool_calls = calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }));
  const said = { role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls }) };
  const body = { id: 'x', object: 'chat.completion', choices: [{ index: 0, message: said, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }], usage };
  return wire.wrapped ? { data: body, success: true } : body;
}

function stream(response, message, body, wire) {
  const end = wire.crlf ? '\r\n' : '\n';
  const events = chunks(message, body, wire).map((chunk) => `data: ${JSON.stringify(chunk)}${end}${end}`);
  if (wire.comment) events.unshift(`${wire.comment}${end}${end}`);
  if (wire.done !== false) events.push(`data: [DONE]${end}${end}`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.join(''));
}

function chunks(message, body, wire) {
  const chunk = (choices, more = {}) => ({ id: 'x', object: 'chat.completion.chunk', model: body.model, choices, ...more });
  const delta = (delta) => chunk([{ index: 0, delta, finish_reason: null }]);
  const { calls, thought } = message;
  const text = wire.inWords ? inWords(message) : message.text;
  const finish = wire.finish ?? (calls.length > 0 && !wire.inWords ? 'tool_calls' : 'stop');
  const last = { index: 0, delta: {}, finish_reason: finish, ...(wire.usage === 'choice' && { usage }) };
  return [
    ...(wire.filters ? [chunk([], { prompt_filter_results: [{ prompt_index: 0 }] })] : []),
    delta({ role: 'assistant', content: '' }),
    ...(wire.thought ? halves(thought).map((half, at) => delta({
      [wire.thought]: half, content: null, ...(wire.details && { reasoning_details: details(half, at > 0) }),
    })) : []),
    ...halves(text).map((content) => delta({ content })),
    ...(wire.inWords ? [] : calls.flatMap((call, at) => callPieces(call, at, wire)).map((tool_calls) => delta({ tool_calls }))),
    chunk([last], wire.usage === 'x_groq' ? { x_groq: { usage } } : {}),
    ...((wire.usage ?? 'last') === 'last' && body.stream_options?.include_usage ? [chunk([], { usage })] : []),
  ];
}

function callPieces({ n, id, name, args }, at, wire) {
  const index = wire.index === 'zero' ? 0 : at;
  const opened = { index, id, type: 'function', ...wire.more?.(n) };
  if (wire.whole) return [[{ ...opened, function: { name, arguments: args } }]];
  const later = 'laterId' in wire ? { id: wire.laterId } : {};
  const rest = halves(args).map((half) => [{ index, ...later, function: { arguments: half } }]);
  return [[{ ...opened, function: { name, arguments: '' } }], ...rest];
}

function halves(text) {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}
