// Starts the app. The build puts this into the page in the place of trunk's loader, with
// unpack.mjs before it, and tells the names in `build` (scripts/finish-dist.mjs).
import { unpack } from './unpack.mjs';

const build = { glue: '', packed: '', integrity: '' };

// A wrong or missing file fails at its hash already.
async function compile(cache) {
  const response = await fetch(build.packed, { integrity: build.integrity, cache });
  return WebAssembly.compile(unpack(new Uint8Array(await response.arrayBuffer())));
}

/** In place of a page that would stay empty. */
function tell() {
  const skeleton = document.getElementById('skeleton');
  if (!skeleton) return;
  const chinese = navigator.languages.find((tag) => /^(?:en|zh)\b/i.test(tag))?.toLowerCase().startsWith('zh');
  const text = document.createElement('p');
  text.className = 'starting__text';
  text.lang = chinese ? 'zh-Hans' : 'en';
  text.setAttribute('role', 'alert');
  text.textContent = chinese
    ? '应用未能载入。请检查网络连接，然后刷新页面。'
    : 'The app could not be loaded. Please check your connection, then reload the page.';
  skeleton.append(text);
}

try {
  // What was kept of the file may be damaged, so the second attempt asks the host anew.
  const compiled = compile('default').catch(() => compile('reload'));
  const [{ default: init }, module] = await Promise.all([import(build.glue), compiled]);
  await init({ module_or_path: module });
} catch (error) {
  tell();
  throw error;
}
