// Shows a page of the workspace in this frame: what it names is fetched from the workspace and
// given to it as blobs, since there is no network here. Scripts run only from blobs, never
// inline: so no frame inside this one can run any, and what was taken away stays away.

const MIMES = {
  html: 'text/html', css: 'text/css', js: 'text/javascript', mjs: 'text/javascript', json: 'application/json',
  svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp',
  avif: 'image/avif', ico: 'image/x-icon', woff: 'font/woff', woff2: 'font/woff2', ttf: 'font/ttf', otf: 'font/otf',
  mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', mp4: 'video/mp4', webm: 'video/webm', wasm: 'application/wasm',
};
const MAX_PRINTED = 128 << 10;
/** Links that reach out though the content policy forbids it, or might. */
const HINT = /\b(?:preconnect|dns-prefetch|prefetch|prerender|preload|modulepreload|manifest)\b/i;
const here = new URL('.', location.href).href;
const NOWHERE = 'https://workspace.invalid/';
const write = document.write.bind(document);
const fragmentOf = new Range().createContextualFragment;

let root = '';
const files = new Map();
const made = new Map();
/** What each module imports, as far as it was read. */
const needed = new Map();
/** Where the text of a blob stands in the workspace. */
const places = new Map();
const told = new Set();
let open = 0;
let changed = 0;
let imports = {};

// --- Files as blobs ---

/** The path that `address` means in the file `from`; `null` if it is none of the workspace. */
function pathOf(address, from = root) {
  try {
    const url = new URL(address, NOWHERE + from.split('/').map(encodeURIComponent).join('/'));
    return url.href.startsWith(NOWHERE) ? decodeURIComponent(url.pathname.slice(1)) : null;
  } catch {
    return null;
  }
}

const mimeOf = (path) => MIMES[path.split('.').pop().toLowerCase()] ?? 'application/octet-stream';

/** The bytes of a file; `null`, and a line in the console, if there are none. */
function bytesOf(path, quietly) {
  if (!files.has(path)) {
    open += 1;
    files.set(path, ask(path).then(({ problem, bytes }) => {
      open -= 1;
      if (problem && !quietly) report(`could not load ${path}: ${problem}`);
      return problem ? null : bytes;
    }));
  }
  return files.get(path);
}

async function textOf(path) {
  const bytes = await bytesOf(path);
  return bytes && new TextDecoder().decode(bytes);
}

/** The address of a blob with the file, changed as its kind demands. */
function blobOf(path, kind = '') {
  const key = `${kind} ${path}`;
  if (!made.has(key)) made.set(key, makeBlob(path, kind));
  return made.get(key);
}

async function makeBlob(path, kind) {
  let content = kind || path.endsWith('.css') ? await textOf(path) : await bytesOf(path);
  if (content === null) return null;
  if (kind === 'module') content = await linked(content, path);
  else if (!kind && path.endsWith('.css')) content = await styled(content, path);
  return address(content, kind ? 'text/javascript' : mimeOf(path), path);
}

function address(content, type, path, line = 0) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  places.set(url, { path, line });
  return url;
}

/** Styles, with all they name as blobs. */
async function styled(css, from) {
  const pattern = /(@import\s+)(["'])([^"']+)\2|url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]+))\s*\)/g;
  return replaceAll(css, pattern, async ([whole, at, , imported, ...urls]) => {
    const named = imported ?? urls.find((each) => each !== undefined) ?? '';
    const url = await local(named, from);
    return url ? `${at ?? ''}url("${url}")` : whole;
  });
}

/** A module, whose imports are blobs of their own. */
async function linked(script, from) {
  const pattern = /((?:\bimport|\bexport)\b[^'"();]*?\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n]+)\2/g;
  return replaceAll(script, pattern, async ([whole, before, , named]) => {
    const path = importOf(named, from);
    if (path === null) return whole;
    if (needs(path, from)) {
      report(`${from} imports ${path}, which imports it again; such a circle can't be previewed`);
      return whole;
    }
    needed.set(from, [...(needed.get(from) ?? []), path]);
    const url = await blobOf(path, 'module');
    return url ? `${before}"${url}"` : whole;
  });
}

/** Whether one module imports another, through others too. */
function needs(path, other, seen = new Set()) {
  if (path === other) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  return (needed.get(path) ?? []).some((each) => needs(each, other, seen));
}

/** The file that a module means by a name. */
function importOf(named, from) {
  if (/^\.{0,2}\//.test(named)) return pathOf(named, from);
  const mapped = imports[named] ?? Object.entries(imports).filter(([key]) => key.endsWith('/') && named.startsWith(key))
    .map(([key, to]) => to + named.slice(key.length))[0];
  return typeof mapped === 'string' ? pathOf(mapped) : null;
}

async function replaceAll(text, pattern, replace) {
  const matches = [...text.matchAll(pattern)];
  const news = await Promise.all(matches.map(replace));
  let at = 0;
  const parts = matches.map((match, n) => {
    const part = text.slice(at, match.index) + news[n];
    at = match.index + match[0].length;
    return part;
  });
  return parts.join('') + text.slice(at);
}

/** The blob for an address, if it means a file of the workspace. */
async function local(named, from = root) {
  if (!named || /^(?:#|data:|blob:)/i.test(named)) return null;
  const path = pathOf(named, from);
  if (!path) return null;
  const url = await blobOf(path);
  return url && url + (/#.*$/.exec(named)?.[0] ?? '');
}

// --- The page ---

const ADDRESSES = [
  ['img, source, video, audio, track, input[type=image]', 'src'], ['video', 'poster'], ['image, use', 'href'],
  ['image, use', 'xlink:href'], ['link[rel~=stylesheet], link[rel~=icon]', 'href'],
];

async function show(path) {
  root = path;
  const html = (await textOf(path))?.replace(/\r\n?/g, '\n') ?? '';
  const page = new DOMParser().parseFromString(html, 'text/html');
  page.querySelectorAll('meta[http-equiv], base, iframe, frame, object, embed').forEach((each) => each.remove());
  [...page.querySelectorAll('link')].filter((each) => HINT.test(each.rel)).forEach((each) => each.remove());
  const map = page.querySelector('script[type=importmap]');
  try {
    imports = JSON.parse(map?.textContent ?? '{}').imports ?? {};
  } catch {
    report('the import map is not JSON');
  }
  map?.remove();
  await Promise.all([...dressed(page), ...scripted(page, html)]);
  page.querySelectorAll('*').forEach((each) => {
    for (const { name, value } of [...each.attributes]) {
      if (!/^on/i.test(name)) continue;
      each.removeAttribute(name);
      each.setAttribute(`data-tabloop-${name}`, value);
    }
  });
  guard();
  document.open();
  watch();
  write((page.doctype ? '<!doctype html>' : '') + page.documentElement.outerHTML);
  document.close();
}

/** Has styles, images and the like made blobs. */
function dressed(page) {
  const addresses = ADDRESSES.flatMap(([which, name]) => [...page.querySelectorAll(which)].map((each) => place(each, name)));
  const sets = [...page.querySelectorAll('[srcset]')].map((each) => each.removeAttribute('srcset'));
  const styles = [...page.querySelectorAll('style')].map(async (each) => {
    each.textContent = await styled(each.textContent, root);
  });
  const own = [...page.querySelectorAll('[style*="url("]')].map(async (each) => {
    each.setAttribute('style', await styled(each.getAttribute('style'), root));
  });
  return [...addresses, ...sets, ...styles, ...own];
}

async function place(element, name) {
  const named = element.getAttribute(name) ?? '';
  const url = await local(named);
  if (url) element.setAttribute(name, url);
  // What is missing was told, and need not be looked for elsewhere.
  else if (pathOf(named) && !/^(?:#|data:|blob:)/i.test(named)) element.removeAttribute(name);
}

const isScript = (type) => /^(?:|module|(?:text|application)\/(?:javascript|ecmascript))$/i.test(type.trim());

/** Has scripts made blobs. One that stands in the page keeps the number of its line. */
function scripted(page, html) {
  let at = 0;
  return [...page.querySelectorAll('script')].filter((each) => isScript(each.type)).map(async (each) => {
    const isModule = each.type === 'module';
    const named = each.getAttribute('src');
    each.removeAttribute('integrity');
    each.removeAttribute('crossorigin');
    if (named !== null) {
      const path = pathOf(named);
      const url = path && (await blobOf(path, isModule ? 'module' : 'script'));
      if (url) each.src = url;
      else if (path) each.removeAttribute('src');
      return;
    }
    const text = each.textContent;
    const found = html.indexOf(text, at);
    if (found >= 0) at = found + text.length;
    const line = found >= 0 ? html.slice(0, found).split('\n').length - 1 : 0;
    const code = isModule ? await linked(text, root) : text;
    each.src = address('\n'.repeat(line) + code, 'text/javascript', root);
    each.textContent = '';
  });
}

// --- What is told ---

let lines = [];
let printed = 0;
let more = 0;

function report(line) {
  const text = tidy(line);
  if (printed > MAX_PRINTED) more += 1;
  else {
    if (lines.length === 0) setTimeout(flush, 50);
    lines.push(text.slice(0, 10_000));
    printed += Math.min(text.length, 10_000);
  }
}

function flush() {
  if (lines.length > 0 || more > 0) say({ Printed: { lines, more } });
  [lines, more] = [[], 0];
}

/** Text with the names of files where those of their blobs stood. */
function tidy(text) {
  return String(text).replace(/blob:[\w:/.-]+?[\da-f]{12}(?![\da-f])/g, (url) => places.get(url)?.path ?? url);
}

function shown(value) {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Element) return `<${value.localName}>`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** Listens to the page, from before its first script on. */
function watch() {
  for (const level of ['log', 'info', 'debug', 'warn', 'error']) {
    console[level] = (...values) => report(`${level === 'warn' || level === 'error' ? `${level}: ` : ''}${values.map(shown).join(' ')}`);
  }
  addEventListener('error', (event) => {
    const { message, filename, lineno, colno, target } = event;
    if (message !== undefined) report(`error: ${message}${filename ? ` (${tidy(filename)}:${lineno}:${colno})` : ''}`);
    else if (target instanceof Element) {
      const named = target.getAttribute('src') ?? target.getAttribute('href') ?? '';
      if (pathOf(named) === null) report(`could not load ${named}`);
    }
  }, true);
  addEventListener('unhandledrejection', ({ reason }) => {
    const place = /blob:[^\s)]+:\d+:\d+/.exec(reason?.stack ?? '')?.[0];
    report(`error: not caught in a promise: ${shown(reason)}${place ? ` (${place})` : ''}`);
  });
  addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
    const line = `blocked: ${blockedURI} (there is no network in the preview)`;
    // What stands in the workspace is mended.
    if (blockedURI === 'inline' || blockedURI.startsWith(here) || told.has(line)) return;
    told.add(line);
    report(effectiveDirective === 'base-uri' ? 'blocked: <base>' : line);
  });
  new MutationObserver((records) => {
    changed = performance.now();
    for (const { addedNodes, target, attributeName } of records) {
      if (attributeName) mend(target);
      for (const each of addedNodes) if (each instanceof Element) [each, ...each.querySelectorAll('*')].forEach(mend);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['src', 'style'] });
  settle();
}

/** Makes what a script put into the page work as if it had stood there. */
function mend(element) {
  for (const { name, value } of [...element.attributes]) {
    const [, event] = /^(?:data-tabloop-)?on(.+)$/i.exec(name) ?? [];
    if (!event) continue;
    element.removeAttribute(name);
    handle(element, event.toLowerCase(), value);
  }
  if (element instanceof HTMLScriptElement && element.src === '' && isScript(element.type) && element.textContent.trim() && !element.dataset.tabloop) {
    element.dataset.tabloop = 'run';
    const script = document.createElement('script');
    script.src = address(element.textContent, 'text/javascript', root);
    document.head.append(script);
  }
  const named = element.getAttribute('src');
  if (named && element.matches('img, source, video, audio') && !/^(?:blob|data):/.test(named)) place(element, 'src');
  if (named && element instanceof HTMLScriptElement && isScript(element.type) && !/^(?:blob|data):/.test(named)) load(element, named);
  if (element.matches('link[rel~=stylesheet]') && !/^(?:blob|data):/.test(element.getAttribute('href') ?? '')) place(element, 'href');
}

/** Runs a file that a script named, in the place of the element that could not. */
async function load(element, named) {
  const path = pathOf(named);
  const url = path && (await blobOf(path, element.type === 'module' ? 'module' : 'script'));
  if (!url || element.dataset.tabloop) return;
  element.dataset.tabloop = 'run';
  const script = document.createElement('script');
  for (const event of ['load', 'error']) script.addEventListener(event, () => element.dispatchEvent(new Event(event)));
  script.type = element.type;
  script.src = url;
  document.head.append(script);
}

function handle(element, event, code) {
  let run;
  try {
    run = new Function('event', code);
  } catch (error) {
    return report(`error: ${error.name}: ${error.message} (in on${event})`);
  }
  const target = element === document.body && /^(?:load|resize|hashchange|scroll|error)$/.test(event) ? self : element;
  target.addEventListener(event, (happened) => {
    if (run.call(element, happened) === false) happened.preventDefault();
  });
}

/** Tells what is to be seen once the page has come to rest, or soon after it was loaded. */
async function settle() {
  const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const loaded = new Promise((resolve) => addEventListener('load', resolve));
  await Promise.race([loaded, wait(8_000)]);
  const since = performance.now();
  changed = since;
  const isRestless = () => open > 0 || performance.now() - changed < 300;
  while (isRestless() && performance.now() - since < 3_000) await wait(50);
  flush();
  const { innerWidth: width, innerHeight: height } = self;
  const text = (document.body?.innerText ?? '').replace(/\n{3,}/g, '\n\n').slice(0, 20_000);
  say({ Shown: { title: document.title.slice(0, 1_000), width, height, text, restless: isRestless() } });
}
