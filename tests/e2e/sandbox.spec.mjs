// Ways out of the closed frame, tried by scripts and by pages: none leads to the network, to the
// app's page or to what it keeps. A server listens and must see nothing, not even a connection.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { lastResults } from './conversation.mjs';
import { call, calls, text } from './endpoint.mjs';
import { test } from './harness.mjs';
import { importFiles, send, setup, waitStoppedSomehow } from './app.mjs';

/** Listens on a port of its own, and notes whoever comes. */
async function listen(t) {
  const seen = [];
  const sockets = new Set();
  const server = createServer((socket) => {
    seen.push('a connection');
    sockets.add(socket);
    socket.on('data', (data) => seen.push(data.toString('latin1').split('\r\n')[0]));
    socket.on('error', () => {});
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.closes({
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  });
  return { seen, port: server.address().port, origin: `http://127.0.0.1:${server.address().port}` };
}

/** Has the model make one call, over `files`, and gives what it was told. */
async function tried(t, [name, args], files = {}) {
  const endpoint = await t.endpoint([calls(call(name, args)), text('Tried.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await page.evaluate(() => localStorage.setItem('of-the-page', 'treasure'));
  if (Object.keys(files).length > 0) await importFiles(page, files);
  const address = page.url();
  await send(page, 'Try it');
  await waitStoppedSomehow(page, 40_000);
  const frame = page.frameLocator('[data-testid="preview"] iframe');
  const seen = name === 'preview' && files['a.html'].includes('id="told"') ? await frame.locator('#told:not(:empty)').innerText() : '';
  await page.waitForTimeout(400);
  assert.equal(page.url(), address, 'the page was led away');
  assert.equal(page.context().pages().length, 1, 'another page was opened');
  assert.equal(await page.evaluate(() => 1 + 1), 2);
  // What was refused is told by the browser too.
  t.console = t.console.filter((line) => !/Content Security Policy/.test(line));
  t.pageErrors = [];
  return lastResults(endpoint.requests[1].body)[0] + seen;
}

const sees = (code) => `
const out = [];
const attempt = async (name, deed) => {
  try { out.push(name + ': ' + String(await Promise.race([deed(), new Promise((done) => setTimeout(done, 700, 'nothing'))])).slice(0, 100)); }
  catch (error) { out.push(name + ': refused'); }
};
${code}`;

// --- Scripts ---------------------------------------------------------------------

const SCRIPTS = {
  fetch: (to) => `await attempt('fetch', async () => (await fetch('${to}/fetch', { mode: 'no-cors' })).type)`,
  'a fetch of the app\'s own host': () => `await attempt('own', async () => (await fetch(new URL('/', location.ancestorOrigins?.[0] ?? 'http://localhost'))).status)`,
  XMLHttpRequest: (to) => `await attempt('xhr', () => new Promise((done, fail) => { const x = new XMLHttpRequest(); x.onload = () => done('reached'); x.onerror = fail; x.open('GET', '${to}/xhr'); x.send(); }))`,
  WebSocket: (to) => `await attempt('socket', () => new Promise((done, fail) => { const s = new WebSocket('${to.replace('http', 'ws')}/'); s.onopen = () => done('reached'); s.onerror = fail; }))`,
  EventSource: (to) => `await attempt('events', () => new Promise((done, fail) => { const s = new EventSource('${to}/events'); s.onopen = () => done('reached'); s.onerror = fail; }))`,
  WebTransport: (to) => `await attempt('transport', async () => { await new WebTransport('${to.replace('http:', 'https:')}/').ready; return 'reached'; })`,
  WebRTC: () => `await attempt('rtc', async () => { new RTCPeerConnection(); return 'reached'; })`,
  importScripts: (to) => `await attempt('importScripts', async () => { importScripts('${to}/a.js'); return 'reached'; })`,
  'import of a remote module': (to) => `await attempt('import', async () => { await import('${to}/a.js'); return 'reached'; })`,
  'a worker in the worker': (to) => `await attempt('worker', () => new Promise((done) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('${to}/w').then(() => postMessage('reached'), () => postMessage('refused'))"]))); w.onmessage = (e) => done(e.data); }))`,
  storage: () => `
    await attempt('indexedDB', async () => (await indexedDB.databases()).length + ' reached');
    await attempt('open', () => new Promise((done, fail) => { const r = indexedDB.open('tabloop'); r.onsuccess = () => done('reached'); r.onerror = fail; }));
    await attempt('caches', async () => { await caches.keys(); return 'reached'; });
    await attempt('opfs', async () => { await navigator.storage.getDirectory(); return 'reached'; });
    await attempt('channel', () => new Promise((done) => { new BroadcastChannel('tabloop').onmessage = () => done('reached'); }));
    await attempt('locks', async () => { const { held } = await navigator.locks.query(); return held.length > 0 ? 'reached' : 'nothing'; });`,
};

for (const [name, code] of Object.entries(SCRIPTS)) {
  test(`no way out of a script: ${name}`, async (t) => {
    const { seen, origin } = await listen(t);
    const told = await tried(t, ['run_js', { code: `${sees(code(origin))}\nout.join('\\n')` }]);
    assert.match(told, /→ \w+: /, told);
    assert.doesNotMatch(told, /reached|opaque|basic|: \d/, told);
    assert.deepEqual(seen, []);
  });
}

test('a script that takes all memory does not take the page with it', async (t) => {
  const code = 'const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()));';
  const endpoint = await t.endpoint([calls(call('run_js', { code })), text('Tried.')]);
  const page = await t.open();
  await setup(page, endpoint);
  await send(page, 'Try it');
  // Where the frame has a process of its own and that dies, the driver takes the page for dead.
  // It lives if it has the answer asked for.
  const { body } = await endpoint.arrived(2, 42_000);
  assert.match(lastResults(body)[0], /^Error: /);
});

test('64 MB of output hurt nobody', async (t) => {
  const told = await tried(t, ['run_js', { code: 'const line = "x".repeat(1 << 16); for (let n = 0; n < 1024; n += 1) console.log(line); "printed"' }]);
  assert.match(told, /lines were printed\]\n→ printed$/);
  assert.ok(told.length < 20_000, String(told.length));
});

test('a script that floods the page by hand is ended', async (t) => {
  const told = await tried(t, ['run_js', { code: 'for (let n = 0; ; n += 1) postMessage([JSON.stringify({ Printed: { lines: ["y".repeat(1000)], more: 0 } })]);' }]);
  assert.match(told, /^Error: the script said more than 60 MB, or in too many pieces/);
});

// --- Pages -----------------------------------------------------------------------

const PAGES = {
  fetch: (to) => `await attempt('fetch', async () => (await fetch('${to}/fetch', { mode: 'no-cors' })).type)`,
  XMLHttpRequest: (to) => `await attempt('xhr', () => new Promise((done, fail) => { const x = new XMLHttpRequest(); x.onload = () => done('reached'); x.onerror = fail; x.open('GET', '${to}/xhr'); x.send(); }))`,
  WebSocket: (to) => `await attempt('socket', () => new Promise((done, fail) => { const s = new WebSocket('${to.replace('http', 'ws')}/'); s.onopen = () => done('reached'); s.onerror = fail; }))`,
  EventSource: (to) => `await attempt('events', () => new Promise((done, fail) => { const s = new EventSource('${to}/events'); s.onopen = () => done('reached'); s.onerror = fail; }))`,
  WebRTC: () => `await attempt('rtc', async () => { new RTCPeerConnection(); return 'reached'; }); await attempt('webkit', async () => { new webkitRTCPeerConnection(); return 'reached'; })`,
  'WebRTC of a frame in the frame': () => `
    await attempt('blank', async () => { const f = document.createElement('iframe'); document.body.append(f); new f.contentWindow.RTCPeerConnection(); return 'reached'; });
    await attempt('srcdoc', () => new Promise((done) => {
      addEventListener('message', (e) => done(e.data));
      const html = '<script>parent.postMessage(typeof RTCPeerConnection + " reached", "*")<\\/script>';
      for (const way of [(f) => { f.srcdoc = html; }, (f) => f.setAttribute('srcdoc', html), (f) => f.attributes.setNamedItem(Object.assign(document.createAttribute('srcdoc'), { value: html }))]) {
        const f = document.createElement('iframe'); try { way(f); } catch {} document.body.append(f);
      }
      document.body.insertAdjacentHTML('beforeend', '<div><iframe srcdoc="&lt;script>parent.postMessage(1)&lt;/script>"></iframe></div>');
      const host = document.createElement('div'); document.body.append(host);
      host.attachShadow({ mode: 'open' }).innerHTML = '<iframe srcdoc="&lt;img src=x onerror=parent.postMessage(\\'reached\\',\\'*\\')>"></iframe>';
    }))`,
  sendBeacon: (to) => `await attempt('beacon', async () => navigator.sendBeacon('${to}/beacon', 'x') && 'sent')`,
  'an image': (to) => `await attempt('image', () => new Promise((done, fail) => { const i = new Image(); i.onload = () => done('reached'); i.onerror = fail; i.src = '${to}/i.png'; }))`,
  'addresses in styles': (to) => `
    document.head.insertAdjacentHTML('beforeend', '<style>@import "${to}/s.css"; @font-face { font-family: f; src: url(${to}/f.woff) } body { background: url(${to}/b.png); font-family: f; cursor: url(${to}/c.cur), auto }</style><link rel="stylesheet" href="${to}/l.css">');
    await attempt('styles', () => new Promise(() => {}))`,
  'import of a remote module': (to) => `await attempt('import', async () => { await import('${to}/a.js'); return 'reached'; })`,
  'a remote script': (to) => `await attempt('script', () => new Promise((done, fail) => { const s = document.createElement('script'); s.src = '${to}/s.js'; s.onload = () => done('reached'); s.onerror = fail; document.head.append(s); }))`,
  'leading the page away': (to) => `
    await attempt('top', async () => { top.location = '${to}/top'; return 'set'; });
    await attempt('parent', async () => { parent.location.href = '${to}/parent'; return 'set'; });
    await attempt('link', async () => { const a = Object.assign(document.createElement('a'), { href: '${to}/a', target: '_top' }); document.body.append(a); a.click(); });`,
  'another window': (to) => `
    await attempt('open', async () => (window.open('${to}/open') ? 'reached' : 'nothing'));
    await attempt('blank', async () => { const a = Object.assign(document.createElement('a'), { href: '${to}/b', target: '_blank' }); document.body.append(a); a.click(); });`,
  'the page around it': () => `
    await attempt('document', async () => parent.document.title + ' reached');
    await attempt('storage', async () => parent.localStorage.getItem('of-the-page') + ' reached');
    await attempt('frame', async () => String(window.frameElement && 'reached'));`,
  'a form': (to) => `
    document.body.insertAdjacentHTML('beforeend', '<form id="f" method="post" action="${to}/form"><input name="a" value="b"></form>');
    await attempt('submit', async () => { document.getElementById('f').submit(); });
    await attempt('request', async () => { document.getElementById('f').requestSubmit(); });`,
  storage: () => `
    await attempt('local', async () => (localStorage.getItem('of-the-page') ? 'reached' : 'nothing'));
    await attempt('cookie', async () => { document.cookie = 'a=b'; return document.cookie ? 'reached' : 'nothing'; });
    await attempt('indexedDB', () => new Promise((done, fail) => { const r = indexedDB.open('tabloop'); r.onsuccess = () => done('reached'); r.onerror = fail; }));
    await attempt('caches', async () => { await caches.keys(); return 'reached'; });
    await attempt('opfs', async () => { await navigator.storage.getDirectory(); return 'reached'; });`,
  'a service worker': () => `await attempt('worker', async () => { await navigator.serviceWorker.register(URL.createObjectURL(new Blob(['']))); return 'reached'; })`,
  'hints to connect': (to) => `
    for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'prerender', 'preload', 'modulepreload']) {
      const link = document.createElement('link'); link.href = '${to}/' + rel; link.as = 'script';
      for (const way of [() => { link.rel = rel; }, () => link.setAttribute('rel', rel), () => link.relList.add(rel)]) try { way(); } catch {}
      document.head.append(link);
      document.head.insertAdjacentHTML('beforeend', '<link rel="' + rel + '" href="${to}/html-' + rel + '">');
      document.write('<link rel="' + rel + '" href="${to}/written-' + rel + '">');
    }
    await attempt('hints', () => new Promise(() => {}))`,
};

const around = (code) => `<!doctype html><title>Tries</title><body><p id="told"></p><script>(async () => {${sees(code)}
document.getElementById('told').textContent = out.join(' | '); console.log(out.join('\\n')); })();</script>`;

for (const [name, code] of Object.entries(PAGES)) {
  test(`no way out of a page: ${name}`, async (t) => {
    const { seen, origin } = await listen(t);
    const told = await tried(t, ['preview', { path: 'a.html' }], { 'a.html': around(code(origin)) });
    assert.match(told, /Shown to the user: a\.html/, told);
    assert.match(told, /: (?:refused|nothing|sent|null|undefined)/, told);
    assert.doesNotMatch(told, /reached|treasure|opaque/, told);
    assert.deepEqual(seen, []);
  });
}

const MARKUP = {
  'a refresh': (to) => `<meta http-equiv="refresh" content="0; url=${to}/refresh">`,
  'hints in the head': (to) => ['preconnect', 'dns-prefetch', 'prefetch', 'prerender', 'preload', 'manifest'].map((rel) => `<link rel="${rel}" href="${to}/${rel}" as="script">`).join(''),
  'a base': (to) => `<base href="${to}/"><img src="pixel.png">`,
  'remote files': (to) => `<img src="${to}/i.png" srcset="${to}/j.png 2x"><script src="${to}/s.js"></script><link rel="stylesheet" href="${to}/c.css"><video poster="${to}/p.png" src="${to}/v.mp4"></video><object data="${to}/o"></object><embed src="${to}/e"><iframe src="${to}/f"></iframe>`,
  'a frame in the frame': (to) => `<iframe srcdoc="&lt;link rel=preconnect href=${to}>&lt;script>new RTCPeerConnection&lt;/script>&lt;img src=${to}/n.png>"></iframe><svg><image href="${to}/svg.png"/></svg>`,
  'going away by itself': (to) => `<script>setTimeout(() => { location.href = '${to}/away'; }, 50)</script>`,
};

for (const [name, html] of Object.entries(MARKUP)) {
  test(`no way out of a page's markup: ${name}`, async (t) => {
    const { seen, origin } = await listen(t);
    await tried(t, ['preview', { path: 'a.html' }], { 'a.html': `<!doctype html><head>${html(origin)}</head><body><p>Here.</p>` });
    // Chromium opens a connection before it asks whether the frame may go there. Nothing is sent.
    const said = name === 'going away by itself' ? seen.filter((line) => line !== 'a connection') : seen;
    assert.deepEqual(said, []);
  });
}
