// The shell's worker: fetches the shell's module unless the kernel has it already, tells how
// far that is, and passes messages on. The build puts the module's glue above this, and fills
// in its name.
const build = { file: 'FILE', bytes: 0, integrity: 'INTEGRITY' };

// A trap in the module ends the shell; nobody else would hear of it.
self.onunhandledrejection = ({ reason }) => tell({ Failed: String(reason?.message ?? reason) });

const tell = (message) => postMessage({ json: JSON.stringify(message), bytes: [] });

globalThis.tellKernel = (json, bytes) => postMessage({ json, bytes }, bytes.map(({ buffer }) => buffer));

/** The packed module: from the browser's cache under its name, which its content gave it. */
async function packed() {
  const url = new URL(build.file, import.meta.url).href;
  const cache = await globalThis.caches?.open('tabloop-shell').catch(() => undefined);
  const kept = await cache?.match(url).catch(() => undefined);
  if (kept) {
    const bytes = new Uint8Array(await kept.arrayBuffer());
    if (await isRight(bytes)) return bytes;
  }
  // Where hashes can't be computed, the browser checks the file itself, all at once.
  const response = await fetch(url, globalThis.crypto?.subtle ? {} : { integrity: build.integrity });
  if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
  const bytes = new Uint8Array(build.bytes);
  let got = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if (got + value.length > bytes.length) throw new Error('the file is not the one of this version');
    bytes.set(value, got);
    got += value.length;
    tell({ Loading: { got, of: build.bytes } });
  }
  if (got < bytes.length || !(await isRight(bytes))) throw new Error('the file is not the one of this version');
  await keep(cache, url, bytes);
  return bytes;
}

async function isRight(bytes) {
  if (!globalThis.crypto?.subtle) return true;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
  return `sha384-${btoa(String.fromCharCode(...hash))}` === build.integrity;
}

/** Keeps this version, and lets others go. What can't be kept is fetched again. */
async function keep(cache, url, bytes) {
  try {
    for (const request of await cache.keys()) await cache.delete(request);
    await cache.put(url, new Response(bytes));
  } catch {}
}

async function load() {
  const stream = new Blob([await packed()]).stream().pipeThrough(new DecompressionStream('gzip'));
  const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  postMessage(module);
  return module;
}

// The first message is the compiled module, if the kernel has it; what comes behind it waits.
const waiting = [];
self.onmessage = async ({ data }) => {
  self.onmessage = ({ data }) => waiting.push(data);
  try {
    await init({ module_or_path: data ?? (await load()) });
  } catch (error) {
    return tell({ Failed: String(error?.message ?? error) });
  }
  self.onmessage = ({ data: { json, bytes } }) => hear(json, bytes);
  for (const { json, bytes } of waiting) hear(json, bytes);
  tell('Ready');
};
