// The binary format of WebAssembly (core specification, chapter 5), as far as the build's own
// steps need it: sections, names, and which functions a body names.

/** The sections of a module, in their order. */
export function sections(module) {
  const found = [];
  for (let at = 8; at < module.length; ) {
    const id = module[at];
    const [length, start] = number(module, at + 1);
    found.push({ id, body: module.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

/** The module of these sections. */
export function moduleOf(parts) {
  return Buffer.concat([Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]), ...parts.map(section)]);
}

const section = ({ id, body }) => Buffer.concat([Buffer.from([id]), unsigned(body.length), body]);

/** The bytes of each thing of a vector, where `end` tells where the one at a place ends. */
export function things(body, end) {
  const [count, first] = number(body, 0);
  const found = [];
  for (let n = 0, at = first; n < count; n += 1) {
    const next = end(body, at);
    found.push(body.subarray(at, next));
    at = next;
  }
  return found;
}

/** A vector of things already in bytes. */
export const vector = (parts) => Buffer.concat([unsigned(parts.length), ...parts]);

/** What is imported: from where, under which name, and its description as it stands. */
export function importsOf(body) {
  const [count, first] = number(body, 0);
  const found = [];
  for (let n = 0, at = first; n < count; n += 1) {
    const [from, afterFrom] = name(body, at);
    const [called, afterName] = name(body, afterFrom);
    at = endOfKind(body, afterName);
    found.push({ from, called, kind: body[afterName], what: body.subarray(afterName, at) });
  }
  return found;
}

export const importBytes = ({ from, called, what }) => Buffer.concat([named(from), named(called), what]);

/** What is exported: its name, its kind (0 function, 1 table, 2 memory, 3 global) and its index. */
export function exportsOf(body) {
  const [count, first] = number(body, 0);
  const found = [];
  for (let n = 0, at = first; n < count; n += 1) {
    const [called, afterName] = name(body, at);
    const [index, next] = number(body, afterName + 1);
    found.push({ called, kind: body[afterName], index });
    at = next;
  }
  return found;
}

export const exportBytes = ({ called, kind, index }) => Buffer.concat([named(called), Buffer.from([kind]), unsigned(index)]);

/** Where the description of what is imported ends. */
function endOfKind(body, at) {
  const [kind, next] = [body[at], at + 1];
  if (kind === 0) return number(body, next)[1];
  if (kind === 1) return endOfLimits(body, next + 1);
  if (kind === 2) return endOfLimits(body, next);
  if (kind === 3) return next + 2;
  if (kind === 4) return number(body, next + 1)[1];
  throw new Error(`an import of the unknown kind ${kind}`);
}

/** Where the limits of a table or a memory end. */
export function endOfLimits(body, at) {
  const [, next] = number(body, at + 1);
  return body[at] & 1 ? number(body, next)[1] : next;
}

/** The names of functions, by their index; none where the section of names was left out. */
export function functionNames(parts) {
  const names = new Map();
  for (const { id, body } of parts) {
    if (id !== 0) continue;
    const [called, start] = name(body, 0);
    if (called !== 'name') continue;
    for (let at = start; at < body.length; ) {
      const [length, first] = number(body, at + 1);
      if (body[at] === 1) {
        const [count, begin] = number(body, first);
        for (let n = 0, place = begin; n < count; n += 1) {
          const [index, afterIndex] = number(body, place);
          const [text, next] = name(body, afterIndex);
          names.set(index, text);
          place = next;
        }
      }
      at = first + length;
    }
  }
  return names;
}

/** The section that names all functions, in their order. */
export function nameSection(names) {
  const list = vector(names.map((text, index) => Buffer.concat([unsigned(index), named(text)])));
  return { id: 0, body: Buffer.concat([named('name'), Buffer.from([1]), unsigned(list.length), list]) };
}

const CALL = 0x10;
const REF_FUNC = 0xd2;

/**
 * A function's body with each function it names put through `index`. A body names functions
 * where it calls one and where it takes a reference to one.
 */
export function withFunctions(body, index) {
  const parts = [];
  let copied = 0;
  const locals = number(body, 0);
  let at = locals[1];
  for (let n = 0; n < locals[0]; n += 1) at = number(body, at)[1] + 1;
  while (at < body.length) {
    const code = body[at];
    const start = at + 1;
    at = afterInstruction(body, at);
    if (code !== CALL && code !== REF_FUNC) continue;
    parts.push(body.subarray(copied, start), unsigned(index(number(body, start)[0])));
    copied = at;
  }
  parts.push(body.subarray(copied));
  return Buffer.concat(parts);
}

/** Where the instruction at a place ends. */
function afterInstruction(body, at) {
  const code = body[at];
  let next = at + 1;
  const leb = () => {
    while (body[next] >= 128) next += 1;
    next += 1;
  };
  if (code >= 0x28 && code <= 0x3e) {
    // An address: its alignment and its offset.
    leb();
    leb();
  } else if (code >= 0x45 && code <= 0xc4) {
    // Arithmetic takes nothing from the code.
  } else if (code === 0xfc) {
    const [operation, after] = number(body, next);
    next = after;
    const taken = { 8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2, 15: 1, 16: 1, 17: 1 }[operation] ?? 0;
    if (operation > 17) throw new Error(`an unknown instruction fc ${operation}`);
    for (let n = 0; n < taken; n += 1) leb();
  } else if (code === 0x0e) {
    const [count, first] = number(body, next);
    next = first;
    for (let n = 0; n <= count; n += 1) leb();
  } else if (code === 0x1c) {
    const [count, first] = number(body, next);
    next = first + count;
  } else if (code === 0x43 || code === 0x44) {
    next += code === 0x43 ? 4 : 8;
  } else if (code === 0x11) {
    leb();
    leb();
  } else if (ONE_NUMBER.has(code)) {
    leb();
  } else if (!PLAIN.has(code)) {
    throw new Error(`an unknown instruction ${code.toString(16)}`);
  }
  return next;
}

/** Blocks with their type, branches, calls, locals, globals, tables, size of memory, constants, references. */
const ONE_NUMBER = new Set([2, 3, 4, 0x0c, 0x0d, CALL, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42, 0xd0, REF_FUNC]);
const PLAIN = new Set([0, 1, 5, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1]);

export function name(body, at) {
  const [length, start] = number(body, at);
  return [body.toString('utf8', start, start + length), start + length];
}

export const named = (text) => Buffer.concat([unsigned(Buffer.byteLength(text)), Buffer.from(text)]);

/** An unsigned number in LEB128, and where it ends. */
export function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at];
    at += 1;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

export function unsigned(value) {
  const bytes = [];
  do {
    bytes.push((value % 128) | (value > 127 ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return Buffer.from(bytes);
}

/** A signed number in LEB128, as constants are written. */
export function signed(value) {
  const bytes = [];
  for (let rest = value; ; rest >>= 7) {
    const byte = rest & 127;
    const last = (rest >> 6) === 0 || (rest >> 6) === -1;
    bytes.push(last ? byte : byte | 128);
    if (last) return Buffer.from(bytes);
  }
}
