// Makes what the page loads beside the module's code smaller: the glue and the styles are
// minified (esbuild), and the names by which glue and module know each other's functions, which
// are long to be unique among crates, become letters.
import { createRequire } from 'node:module';

/** @returns the glue and the module, which belong together as before. */
export async function shrinkPair(glue, module) {
  const parts = sections(module);
  const letters = nameGiver();
  const renamed = new Map();
  // A name is only changed where the glue says it as what it is, and nowhere else.
  const rename = (name, pattern) => {
    const said = glue.match(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g')) ?? [];
    const meant = glue.match(new RegExp(pattern, 'g')) ?? [];
    if (said.length === 0 || said.length !== meant.length) return name;
    if (!renamed.has(name)) renamed.set(name, letters.next().value);
    return renamed.get(name);
  };
  const shorter = parts.map(({ id, body }) => {
    if (id === 2) return { id, body: withImports(body, (name) => rename(name, `(?<![\\w$.])${name}(?=:)`)) };
    if (id === 7) return { id, body: withExports(body, (name) => rename(name, `(?<![\\w$])wasm\\.${name}(?![\\w$])`)) };
    return { id, body };
  });
  const text = glue.replace(/[\w$]+/g, (word) => renamed.get(word) ?? word);
  return { glue: await minify(text, 'js'), module: Buffer.concat([module.subarray(0, 8), ...shorter.map(section)]) };
}

/** `text` without what only people read. */
export async function minify(text, kind) {
  const { code } = await load().transform(text, { loader: kind, minify: true, charset: 'utf8', legalComments: 'none' });
  return code;
}

function load() {
  const folder = process.env.TABLOOP_ESBUILD;
  if (!folder) throw new Error('esbuild is not set up: build with `make build`');
  return createRequire(import.meta.url)(`${folder}/node_modules/esbuild`);
}

/** a, b, … z, A, … Z, aa, ab, … */
function* nameGiver() {
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (let before = [''], longer = []; ; before = longer, longer = []) {
    for (const start of before) {
      for (const letter of letters) {
        longer.push(start + letter);
        yield start + letter;
      }
    }
  }
}

// The binary format of WebAssembly (core specification, chapter 5), as far as names need it.

function sections(module) {
  const found = [];
  for (let at = 8; at < module.length; ) {
    const id = module[at];
    const [length, start] = number(module, at + 1);
    found.push({ id, body: module.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

const section = ({ id, body }) => Buffer.concat([Buffer.from([id]), unsigned(body.length), body]);

function withImports(body, rename) {
  const [count, first] = number(body, 0);
  const parts = [unsigned(count)];
  let at = first;
  for (let n = 0; n < count; n += 1) {
    const [from, afterFrom] = name(body, at);
    const [called, afterName] = name(body, afterFrom);
    at = endOfKind(body, afterName);
    parts.push(named(from), named(rename(called)), body.subarray(afterName, at));
  }
  return Buffer.concat(parts);
}

function withExports(body, rename) {
  const [count, first] = number(body, 0);
  const parts = [unsigned(count)];
  let at = first;
  for (let n = 0; n < count; n += 1) {
    const [called, afterName] = name(body, at);
    [, at] = number(body, afterName + 1);
    parts.push(named(rename(called)), body.subarray(afterName, at));
  }
  return Buffer.concat(parts);
}

/** Where the description of what is imported ends. */
function endOfKind(body, at) {
  const limits = (start) => {
    const [flags, next] = number(body, start);
    const [, end] = number(body, next);
    return flags & 1 ? number(body, end)[1] : end;
  };
  const [kind, next] = [body[at], at + 1];
  if (kind === 0) return number(body, next)[1];
  if (kind === 1) return limits(next + 1);
  if (kind === 2) return limits(next);
  if (kind === 3) return next + 2;
  if (kind === 4) return number(body, next + 1)[1];
  throw new Error(`an import of the unknown kind ${kind}`);
}

function name(body, at) {
  const [length, start] = number(body, at);
  return [body.toString('utf8', start, start + length), start + length];
}

const named = (text) => Buffer.concat([unsigned(Buffer.byteLength(text)), Buffer.from(text)]);

/** An unsigned number in LEB128, and where it ends. */
function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at];
    at += 1;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

function unsigned(value) {
  const bytes = [];
  do {
    bytes.push((value % 128) | (value > 127 ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return Buffer.from(bytes);
}
