// Puts together the file in which foreign code runs (src/sandbox/): one script and a content
// policy that lets nothing out. The page shows it in a frame without an origin.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Scripts run from blobs alone: inline ones could also be written into a frame in the frame. */
const policy = {
  'default-src': "'none'",
  'script-src': "blob: 'unsafe-eval'",
  'style-src': "'unsafe-inline' blob: data:",
  'img-src': 'data: blob:',
  'font-src': 'data: blob:',
  'media-src': 'data: blob:',
  'worker-src': 'blob:',
  'connect-src': "'none'",
  'frame-src': "'none'",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** @returns the text of the file; `minify` takes a script and gives a shorter one. */
export async function sandbox(minify) {
  const read = (name) => readFileSync(`src/sandbox/${name}.js`, 'utf8');
  const worker = (await minify(read('worker'))).trim();
  const frame = read('frame').replace('[WORKER]', () => `[${JSON.stringify(worker)}]`);
  const script = (await minify(`(() => {\n'use strict';\n${frame}\n${read('guard')}\n${read('page')}\n})();`)).trim().replaceAll('</script', '<\\/script');
  const hash = createHash('sha256').update(script).digest('base64');
  const rules = { ...policy, 'script-src': `${policy['script-src']} 'sha256-${hash}'` };
  const content = Object.entries(rules).map(([directive, sources]) => `${directive} ${sources}`).join('; ');
  return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${content}"><meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer"><title>Sandbox</title><script>${script}</script></head><body></body></html>\n`;
}
