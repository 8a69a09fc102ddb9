// The doctor: with each fault staged at a real host it names that cause and no other, says
// what to do, and tells nobody the key.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { MODEL, startEndpoint } from './endpoint.mjs';
import { test, until } from './harness.mjs';
import { KEY, refuseKeys, send, setup, waitStopped } from './app.mjs';
import { isNamed, lines, report } from './doctor.mjs';

// --- Hosts ---------------------------------------------------------------------------

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
};

const json = (status, content, headers = CORS) =>
  ({ status, headers: { 'content-type': 'application/json', ...headers }, content: JSON.stringify(content) });
const page = (status = 200, headers = CORS) =>
  ({ status, headers: { 'content-type': 'text/html', ...headers }, content: '<!doctype html><title>Welcome</title>' });
const error = (status, message, code) => json(status, { error: { message, code } });
const unknownRoute = ({ method, url }) => error(404, `Unknown request URL: ${method} ${url}`);

/** What an endpoint that is well answers. */
function sound(request, body) {
  if (request.method === 'OPTIONS') return { status: 204, headers: CORS };
  if (request.url === '/v1/models') return json(200, { object: 'list', data: [{ id: MODEL }, { id: 'whisper' }] });
  if (request.url !== '/v1/chat/completions') return unknownRoute(request);
  const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'ping', arguments: '{}' } };
  const said = body.tools ? { role: 'assistant', content: null, tool_calls: [call] } : { role: 'assistant', content: 'OK' };
  const finish_reason = body.tools ? 'tool_calls' : 'stop';
  if (!body.stream) return json(200, { choices: [{ index: 0, message: said, finish_reason }], usage });
  const events = [{ choices: [{ index: 0, delta: said, finish_reason }] }, { choices: [], usage }].map((one) => JSON.stringify(one));
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', ...CORS },
    content: [...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  };
}

/** Sound, but for what `fault` answers to chats. */
const chats = (fault) => (request, body) =>
  (request.method === 'POST' && fault(body, request)) || sound(request, body);

/** Starts a host that answers by `manner`, or is silent where that gives nothing. */
async function startHost(t, manner, port = 0) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    const raw = Buffer.concat(chunks).toString('utf8');
    const answer = manner(request, raw ? JSON.parse(raw) : {});
    if (!answer) return;
    response.writeHead(answer.status, answer.headers);
    response.end(answer.content);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.closes({ close: () => (server.closeAllConnections(), new Promise((done) => server.close(done))) });
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { origin, baseUrl: `${origin}/v1`, asked };
}

// --- What the user does and sees -----------------------------------------------------------

async function fill(page, { baseUrl, key = KEY, model = MODEL }) {
  await page.getByTestId('setup-base-url').fill(baseUrl);
  await page.getByTestId('setup-api-key').fill(key);
  await page.getByTestId('setup-model').fill(model);
}

async function examine(t, form, cause, options) {
  const page = await t.open(options);
  await fill(page, form);
  await page.getByTestId('doctor-run').click();
  return { page, text: await isNamed(page, cause) };
}

// --- Faults ----------------------------------------------------------------------------

const FAULTS = {
  'a host without CORS': {
    manner: (request) => json(200, { data: [] }, {}),
    cause: 'NoCors',
    told: [/CORS/],
  },
  'a host that refuses to be asked for leave (OPTIONS 405)': {
    manner: (request, body) => (request.method === 'OPTIONS' ? { status: 405, headers: {} } : sound(request, body)),
    cause: 'Preflight',
    told: [/Authorization/],
  },
  'a web page': { manner: () => page(), cause: 'WebPage', told: [/web page/i] },
  'an address without an endpoint': { manner: unknownRoute, cause: 'NoSuchAddress', told: [/address/i] },
  'a wrong key (401), which the host repeats': {
    manner: chats(() => error(401, `Incorrect API key provided: ${KEY}`, 'invalid_api_key')),
    cause: 'BadKey',
    told: [/does not accept the key/, /HTTP 401/, /Incorrect API key provided: \[/],
  },
  'a key that may not (403)': {
    manner: chats(() => error(403, 'No access to this model')),
    cause: 'KeyMayNot',
    told: [/No access to this model/],
  },
  'no credit (402)': { manner: chats(() => error(402, 'Insufficient balance')), cause: 'NoCredit', told: [/credit/] },
  'no credit (429)': {
    manner: chats(() => error(429, 'You exceeded your current quota', 'insufficient_quota')),
    cause: 'NoCredit',
    told: [/credit/],
  },
  'too many requests (429)': {
    manner: chats(() => error(429, 'Rate limit reached. Please try again in 20s.', 'rate_limit_exceeded')),
    cause: 'RateLimited',
    told: [/Wait 20 s/],
  },
  'a failing host (503)': { manner: chats(() => error(503, 'Overloaded')), cause: 'ServerError', told: [/503/] },
  'a refused request (400)': {
    manner: chats(() => error(400, 'Unsupported value: seed')),
    cause: 'Refused',
    told: [/Unsupported value: seed/],
  },
  'refused streams': {
    manner: chats(({ stream }) => stream && error(400, 'Streaming is not supported')),
    cause: 'NoStreaming',
    told: [/piece by piece/],
  },
  'streams that come whole': {
    manner: chats((body, request) => sound(request, { ...body, stream: false })),
    cause: 'NoStreaming',
    told: [/in one piece/],
  },
  'refused tools': {
    manner: chats(({ tools }) => tools && error(400, `${MODEL} does not support tools`)),
    cause: 'NoTools',
    told: [/can't call tools/],
  },
  'a tool that is not called': {
    manner: chats(({ tools, ...body }, request) => tools && sound(request, body)),
    cause: 'ToolIgnored',
    told: [/did not call it/],
  },
  'no count of tokens': {
    manner: chats((body, request) => {
      const answer = sound(request, body);
      return { ...answer, content: answer.content.replaceAll('usage', 'u').replaceAll('"u":', '"x":') };
    }),
    cause: 'NoUsage',
    told: [/estimated/],
  },
};

for (const [what, { manner, cause, told }] of Object.entries(FAULTS)) {
  test(`${what}: ${cause}`, async (t) => {
    const host = await startHost(t, (request, body) =>
      (cause === 'NoSuchAddress' && request.method === 'OPTIONS' ? sound(request, body) : manner(request, body)));
    const { text } = await examine(t, host, cause);
    for (const pattern of told) assert.match(text, pattern);
    assert.ok(host.asked.filter(({ line }) => !line.startsWith('OPTIONS')).length <= 8, JSON.stringify(host.asked));
  });
}

test('an endpoint that is well is fine in every line, and is asked little', async (t) => {
  const host = await startHost(t, sound);
  const { page, text } = await examine(t, host, 'Fine');
  assert.match(text, /works/);
  assert.deepEqual(await lines(page), [
    'fine Reach the host', 'fine List its models', 'fine Get an answer', 'fine Stream an answer',
    'fine Have a tool called', 'fine Count tokens',
  ]);
  const asked = host.asked.filter(({ line }) => !line.startsWith('OPTIONS'));
  assert.deepEqual(asked.map(({ line }) => line), [
    'GET /v1/models', 'GET /v1/models', ...Array(3).fill('POST /v1/chat/completions'),
  ]);
  assert.equal(asked[0].headers.authorization, undefined, 'who only knocks shows no key');
});

test('nothing is sent before the button is pressed, and nothing to anybody else', async (t) => {
  const host = await startHost(t, sound);
  const page = await t.open();
  await fill(page, host);
  assert.deepEqual(host.asked, []);
  await page.getByTestId('doctor-run').click();
  await isNamed(page, 'Fine');
  const own = [new URL(page.url()).origin, host.origin];
  assert.deepEqual(t.urls.filter((url) => !url.startsWith('blob:') && !own.includes(new URL(url).origin)), []);
});

test('what can be no address is told without a request: BadAddress', async (t) => {
  const { page } = await examine(t, { baseUrl: 'not a url' }, 'BadAddress');
  await fill(page, { baseUrl: 'http://192.168.1.5:11434/v1' });
  await page.getByTestId('doctor-again').click();
  assert.match(await isNamed(page, 'MixedContent'), /Browsers block/);
  await fill(page, { baseUrl: 'https://api.example.com/v1', key: 'sk–dash' });
  await page.getByTestId('doctor-again').click();
  assert.match(await isNamed(page, 'BadKeyText'), /Copy it again/);
  const own = new URL(page.url()).origin;
  assert.deepEqual(t.urls.filter((url) => !url.startsWith('blob:') && new URL(url).origin !== own), []);
});

test('a missing /v1 is found, taken over with a press, and then all is well: WrongPath', async (t) => {
  const host = await startHost(t, sound);
  const { page, text } = await examine(t, { baseUrl: host.origin }, 'WrongPath');
  assert.ok(text.includes(host.baseUrl), text);
  await page.getByTestId('doctor-take').click();
  await isNamed(page, 'Fine');
  assert.equal(await page.getByTestId('setup-base-url').inputValue(), host.baseUrl);
});

test('a missing /v1 behind a web page, or behind answers without CORS, is found too', async (t) => {
  for (const elsewhere of [page(), page(404), json(404, {}, {})]) {
    const host = await startHost(t, (request, body) =>
      (request.url.startsWith('/v1/') ? sound(request, body) : elsewhere));
    await examine(t, { baseUrl: host.origin }, 'WrongPath');
  }
});

test('an unknown model: one like it is taken with a press: UnknownModel', async (t) => {
  const host = await startHost(t, chats(({ model }) =>
    model !== MODEL && error(404, `The model ${model} does not exist`, 'model_not_found')));
  const { page } = await examine(t, { ...host, model: 'scripted model 2' }, 'UnknownModel');
  await page.getByTestId('doctor-take').filter({ hasText: MODEL }).click();
  await isNamed(page, 'Fine');
  assert.equal(await page.getByTestId('setup-model').inputValue(), MODEL);
});

test('without a model the names that there are can be taken', async (t) => {
  const host = await startHost(t, sound);
  const { page } = await examine(t, { ...host, model: '' }, 'UnknownModel');
  assert.deepEqual(await page.getByTestId('doctor-take').allInnerTexts(), [MODEL, 'whisper']);
});

test('where nothing listens: Unreachable', async (t) => {
  const gone = await startEndpoint([]);
  await gone.close();
  const { text } = await examine(t, gone, 'Unreachable');
  assert.match(text, /Nothing answers/);
});

test('a server in the manner of Ollama, which lets no foreign page in, comes with the line to run', async (t) => {
  // At its own port, it is known; where that is taken, all servers are offered.
  const guarded = (request) => (request.headers.origin || request.method === 'OPTIONS'
    ? { status: 403, headers: {} }
    : { status: 200, headers: {}, content: 'Ollama is running' });
  const host = await startHost(t, guarded, 11434).catch(() => startHost(t, guarded));
  const { page } = await examine(t, { ...host, key: '' }, 'NoCors', { permissions: ['clipboard-read', 'clipboard-write'] });
  const own = new URL(page.url()).origin;
  const shown = await page.getByTestId('doctor-lines').innerText();
  for (const line of [`OLLAMA_ORIGINS="${own}" ollama serve`, `launchctl setenv OLLAMA_ORIGINS "${own}"`, `setx OLLAMA_ORIGINS "${own}"`]) {
    assert.ok(shown.includes(line), shown);
  }
  await page.getByTestId('doctor-lines').getByRole('button').first().click();
  const copied = await until('the line is copied', () => page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(copied, `OLLAMA_ORIGINS="${own}" ollama serve`);
});

test('a host that never answers: Silent, in a limited time', async (t) => {
  const host = await startHost(t, () => null);
  const site = await t.serveHurried();
  const { text } = await examine(t, host, 'Silent', { url: site.url });
  assert.match(text, /in time/);
});

test('it can be cancelled, and run again', async (t) => {
  let isOpen = false;
  const host = await startHost(t, (request, body) => (isOpen ? sound(request, body) : null));
  const page = await t.open();
  await fill(page, host);
  await page.getByTestId('doctor-run').click();
  await until('it is under way', async () => host.asked.length > 0);
  await page.getByTestId('doctor-cancel').click();
  await isNamed(page, undefined);
  assert.equal(await report(page).getAttribute('data-state'), 'stopped');
  isOpen = true;
  await page.getByTestId('doctor-again').click();
  await isNamed(page, 'Fine');
});

test('the report that is copied has all but the key and the values of the address', async (t) => {
  const host = await startHost(t, (request, body) => (request.method === 'OPTIONS'
    ? sound(request, body)
    : error(401, `Incorrect API key provided: ${KEY}`)));
  const { page } = await examine(t, { baseUrl: `${host.baseUrl}?api-key=abcdef` }, 'BadKey', {
    permissions: ['clipboard-read', 'clipboard-write'], locale: 'zh-CN',
  });
  await page.getByTestId('doctor-copy').click();
  const copied = await until('it is copied', () => page.evaluate(() => navigator.clipboard.readText()));
  for (const part of ['Cause: BadKey', `Endpoint: ${host.baseUrl}?api-key=…`, `Model: ${MODEL}`, 'Reach the host: fine', 'HTTP 401']) {
    assert.ok(copied.includes(part), copied);
  }
  assert.ok(!copied.includes(KEY) && !copied.includes('abcdef'), copied);
  assert.match(await report(page).innerText(), /不接受这个密钥/);
});

test('from the end of a run that could not reach its host, with the key that is kept', async (t) => {
  let key = 'another';
  const host = await startHost(t, (request, body) => (request.method === 'OPTIONS' || request.headers.authorization?.includes(key)
    ? sound(request, body)
    : error(401, 'Incorrect API key provided.', 'invalid_api_key')));
  const page = await t.open();
  await setup(page, host);
  await send(page, 'Hello');
  await waitStopped(page, 'Failed');
  await page.getByTestId('doctor-run').click();
  await isNamed(page, 'BadKey');
  assert.equal(await page.getByTestId('doctor-run').count(), 1, 'the settings have it now');
  key = KEY;
  await page.getByTestId('doctor-again').click();
  await isNamed(page, 'Fine');
  await page.keyboard.press('Escape');
  await report(page).waitFor({ state: 'detached' });
  await page.getByTestId('settings-open').click();
  await page.getByTestId('setting-round-limit').waitFor();
  assert.equal(await report(page).count(), 0, 'an old report does not come back');
});

test('where a known host wants a key, the way to the page that gives one is there', async (t) => {
  const page = await t.open();
  await refuseKeys(page.context(), 'https://api.openai.com');
  await page.getByTestId('setup-base-url').fill('https://api.openai.com');
  await page.getByTestId('setup-model').fill('gpt-5-mini');
  for (const [key, cause] of [['', 'NoKey'], [KEY, 'BadKey']]) {
    await page.getByTestId('setup-api-key').fill(key);
    await page.getByTestId('doctor-run').click();
    await page.locator(`[data-testid="doctor-report"][data-cause="${cause}"]`).waitFor();
    const link = page.getByTestId('doctor-key-page');
    assert.equal(await link.getAttribute('href'), 'https://platform.openai.com/api-keys');
    assert.equal(await link.getAttribute('target'), '_blank');
    assert.match(await link.getAttribute('rel'), /noopener/);
    assert.match(await link.innerText(), /platform\.openai\.com/);
  }
});
