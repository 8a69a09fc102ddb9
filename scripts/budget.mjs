// What the first load of the page fetches, compressed as a good server would, against a limit.
// What is fetched once the page takes input (the rest of the module, the late styles) or when it is first used (the
// editor) is not counted.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { imports, tags } from './page.mjs';

const limit = 380 * 1024;
const dist = fileURLToPath(new URL('../dist', import.meta.url));

/** Files yet to be read; a module's own imports are added as it is read. */
const waiting = ['index.html', 'worker.js'];
const rows = [];

const html = readFileSync(join(dist, 'index.html'), 'utf8');
for (const { attributes } of tags(html, 'link')) if (!['rest', 'late', 'editor', 'pdf', 'answers', 'sandbox'].includes(attributes.rel)) waiting.push(attributes.href);
for (const { attributes, text } of tags(html, 'script')) waiting.push(...(attributes.src ? [attributes.src] : imports(text)));

const seen = new Set();
while (waiting.length > 0) {
  const name = normalize(waiting.shift());
  if (seen.has(name)) continue;
  seen.add(name);
  const bytes = readFileSync(join(dist, name));
  rows.push({ name, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length });
  if (name.endsWith('.js')) waiting.push(...imports(bytes.toString('utf8')).map((each) => join(dirname(name), each)));
}

rows.sort((a, b) => b.gzip - a.gzip);
const total = rows.reduce((sum, row) => sum + row.gzip, 0);
const width = Math.max(...rows.map((row) => row.name.length));
const line = (name, raw, gzip) => console.log(`    ${name.padEnd(width)}  ${String(raw).padStart(9)}  ${String(gzip).padStart(9)}`);
line('first load', 'bytes', 'gzip -9');
for (const row of rows) line(row.name, row.raw, row.gzip);
line('all', rows.reduce((sum, row) => sum + row.raw, 0), total);
if (total > limit) {
  console.error(`The first load is ${total - limit} bytes over its limit of ${limit}.`);
  process.exit(1);
}
console.log(`    ${limit - total} bytes are left of the limit of ${limit}.`);
