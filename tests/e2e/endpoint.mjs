// A scripted OpenAI-compatible endpoint over real HTTP: it answers what a test tells
// it to, in pieces as awkward as a test wants, and keeps every request it got.

import { createServer } from 'node:http';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { faults } from './conversation.mjs';
import { deltas, endings, frame, MODEL, seeded, send, writeCut } from './wire.mjs';

export { MODEL };

// --- Replies -------------------------------------------------------------------

/** An answer in words. */
export const text = (content) => ({ kind: 'stream', content, calls: [], ending: 'whole' });

/** A message with tool calls, all at once. */
export const calls = (...list) => ({ kind: 'stream', content: '', calls: list, ending: 'whole' });

/** One tool call; arguments given as a string go out as they are, sound or not. */
export const call = (name, args) => ({ name, args: typeof args === 'string' ? args : JSON.stringify(args) });

/** Everything of `reply` but its end, which waits for `endpoint.release()`. */
export const held = (reply) => ({ ...reply, ending: 'held' });

/** Everything of `reply`, then a clean end without finish_reason and [DONE]. */
export const truncated = (reply) => ({ ...reply, ending: 'truncated' });

/** Everything of `reply`, then the connection is torn. */
export const dropped = (reply) => ({ ...reply, ending: 'dropped' });

/** A whole reply with another finish_reason than it would have. */
export const endedBy = (reply, finish) => ({ ...reply, finish });

/** A whole reply for which the host counts so many tokens, and has `cached` of those sent in its cache. */
export const counted = (reply, sent, received = 10, cached = 0) => ({ ...reply, tokens: [sent, received, cached] });

/** Any body at all. */
export const body = (status, contentType, content, headers = {}) => ({ kind: 'body', status, contentType, content, headers });

/** An error as hosts send it; `seconds`: when the host would be asked again. */
export const failure = (status, error, seconds) =>
  body(status, 'application/json', JSON.stringify({ error }), seconds === undefined ? {} : { 'retry-after': String(seconds) });

/** The page a web server shows when the address is not that of an API. */
export const webPage = (status = 200) =>
  body(status, 'text/html', '<!doctype html><html><head><title>Welcome</title></head><body><h1>Welcome</h1></body></html>');

/** The list of an endpoint's models. */
export const modelList = (names) =>
  body(200, 'application/json', JSON.stringify({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) }));

// --- The endpoint ----------------------------------------------------------------

/**
 * Starts an endpoint on 127.0.0.1.
 *
 * `script`: a list of replies, one a request, or a function `(request, n) => reply`
 * with n counting from 1.
 * `cut`: bytes a write (a number, or 'random' for a seeded mix); 0 cuts nothing.
 * `crlf`: lines end with CR LF. `keepAlives`: comments stand between the events.
 * `port`: 0 takes a free one. `shortens`: the history may be shortened on the way.
 * `joins`: a conversation may come from another endpoint.
 * `models`: the names of its models, or the reply to the question for them.
 */
export async function startEndpoint(
  script,
  { cut = 0, crlf = false, keepAlives = false, seed = 1, port = 0, shortens = false, joins = false, models = [MODEL] } = {},
) {
  const endpoint = new Endpoint(script, { cut, crlf, keepAlives, seed }, { shortens, joins }, models);
  await endpoint.listen(port);
  return endpoint;
}

class Endpoint {
  /** Every chat request in order: path, headers, raw and parsed body, times in ms. */
  requests = [];
  /** Every request of any kind as "METHOD /path". */
  hits = [];
  /** The headers of each request for the models. */
  listed = [];
  /** What was wrong with the requests, in sentences. A test with any has failed. */
  faults = [];
  #script;
  #wire;
  #rules;
  #server;
  #waiting = [];
  #holds = [];
  #released = false;
  #models;

  constructor(script, wire, rules, models) {
    this.#script = script;
    this.#models = models;
    this.#rules = rules;
    this.#wire = { ...wire, random: seeded(wire.seed) };
  }

  /** Takes `port`, also again after `close`: what was recorded stays. */
  async listen(port) {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        this.faults.push(`the endpoint failed: ${error.stack}`);
        response.destroy();
      });
    });
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
    this.origin = `http://127.0.0.1:${this.port}`;
    this.baseUrl = `${this.origin}/v1`;
  }

  /** Waits until `count` chat requests have fully arrived, and gives back the last of them. */
  async arrived(count, timeout = 15_000) {
    if (this.requests.length < count) {
      await new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`waited for request ${count}, ${this.requests.length} arrived`)),
          timeout,
        );
        this.#waiting.push({ count, resolve: () => (clearTimeout(timer), resolve()) });
      });
    }
    return this.requests[count - 1];
  }

  /** Lets the held reply end, or the next one, if none has come so far. */
  release() {
    this.#released = this.#holds.length === 0;
    for (const open of this.#holds.splice(0)) open();
  }

  async close() {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request, response) {
    const path = request.url;
    this.hits.push(`${request.method} ${path}`);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-expose-headers', 'retry-after');
    if (request.method === 'OPTIONS') {
      // Nothing beyond these two headers is allowed, as with the strictest hosts.
      response.writeHead(204, {
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-max-age': '600',
      });
      response.end();
    } else if (request.method === 'GET' && path === '/v1/models') {
      this.listed.push(request.headers);
      send(response, Array.isArray(this.#models) ? modelList(this.#models) : this.#models);
    } else if (request.method === 'POST' && path === '/v1/chat/completions') {
      await this.#complete(request, response);
    } else {
      send(response, failure(404, { message: `Unknown request URL: ${request.method} ${path}`, type: 'invalid_request_error' }));
    }
  }

  async #complete(request, response) {
    const record = await this.#record(request);
    response.on('close', () => (record.aborted = !response.writableFinished));
    const reply = await this.#reply(record);
    if (reply.kind === 'body') send(response, reply);
    else await this.#stream(reply, record, response);
    record.endedAt = performance.now();
  }

  async #record(request) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const arrivedAt = performance.now();
    const raw = Buffer.concat(chunks).toString('utf8');
    const record = { n: this.requests.length + 1, headers: request.headers, raw, body: JSON.parse(raw), arrivedAt, aborted: false };
    const earlier = this.requests.map((request) => request.body);
    this.faults.push(...faults(record.body, earlier, this.#rules).map((what) => `request ${record.n}: ${what}`));
    this.requests.push(record);
    for (const waiter of this.#waiting) if (waiter.count <= record.n) waiter.resolve();
    return record;
  }

  async #reply(record) {
    if (typeof this.#script === 'function') return this.#script(record, record.n);
    const reply = this.#script[record.n - 1];
    if (reply) return reply;
    this.faults.push(`request ${record.n} came, the script has ${this.#script.length} replies`);
    return failure(500, { message: 'The script has no reply left.' });
  }

  async #stream(reply, record, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
    response.socket.setNoDelay(true);
    const write = (events) => writeCut(response, frame(events, this.#wire), this.#wire);
    await write(deltas(reply, record.n));
    if (reply.ending === 'held') await this.#hold(response);
    if (reply.ending === 'dropped') {
      response.destroy();
      return;
    }
    if (reply.ending !== 'truncated') await write(endings(reply, record));
    response.end();
  }

  #hold(response) {
    if (this.#released) {
      this.#released = false;
      return null;
    }
    return new Promise((resolve) => {
      this.#holds.push(resolve);
      response.on('close', resolve);
    });
  }
}
