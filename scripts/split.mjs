// Splits the module in two over the same memory: one that the page needs until it takes input, and
// the rest, which it loads behind that. Where a function of the rest is called from the first, a stub
// stands in its place: it has the rest loaded if it is not there yet (src/browser/rest.rs), and calls
// it by the table. So which function lies where decides only when it is loaded, never what it does.
import { readFileSync } from 'node:fs';
import { endOfLimits, exportBytes, exportsOf, functionNames, importBytes, importsOf, moduleOf, nameSection, number, sections, signed, things, unsigned, vector, withFunctions } from './wasm.mjs';

/** The function that loads the rest, by the name the module exports it under. */
const LOADER = 'loadRest';
/** Bytes of a function that make it worth a stub; of what drops a value, which no other shares by chance. */
const WORTH_A_STUB = 256;
const SMALL_WORTH_A_STUB = 64;
const DROP_WORTH_A_STUB = 96;
const DROP_OF_OURS = /^core(?:\[[0-9a-f]+\])?::ptr::drop_in_place::<(?:[^a-z]*tabloop\b|.*\btabloop\b.*\{closure)/;
const NESTED = /\{closure#\d+\}::\{closure/;
const FUNCTION = 0;
/** Sections by their numbers. */
const [TYPES, IMPORTS, FUNCTIONS, TABLES, , GLOBALS, EXPORTS, , ELEMENTS, CODE] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/**
 * The first module and the rest of it.
 * @param {Buffer} module with the names of its functions
 * @param {string} list the file that tells whose functions lie in the rest
 */
export function split(module, list) {
  const whole = read(module);
  const late = lateOnes(whole, rulesOf(list));
  const first = firstOf(whole, late);
  return { first: first.module, rest: restOf(whole, late, first), late: late.size };
}

/** All of a module that matters here. Functions are counted with the imported ones in front. */
function read(module) {
  const parts = sections(module);
  const body = (id) => parts.find((part) => part.id === id)?.body;
  const imports = importsOf(body(IMPORTS));
  const imported = imports.filter(({ kind }) => kind === FUNCTION);
  const types = things(body(FUNCTIONS), (bytes, at) => number(bytes, at)[1]).map((bytes) => number(bytes, 0)[0]);
  const code = things(body(CODE), (bytes, at) => {
    const [length, start] = number(bytes, at);
    return start + length;
  }).map((bytes) => bytes.subarray(number(bytes, 0)[1]));
  if (imports.length !== imported.length) throw new Error('the module imports something other than functions');
  const exported = exportsOf(body(EXPORTS));
  const loader = exported.find(({ called, kind }) => called === LOADER && kind === FUNCTION)?.index;
  if (loader === undefined) throw new Error(`the module exports no ${LOADER}`);
  return {
    parts,
    imports,
    exported,
    loader,
    names: functionNames(parts),
    typeOf: [...imported.map(({ what }) => number(what, 1)[0]), ...types],
    // An imported function has no body.
    code: [...imported.map(() => undefined), ...code],
    parameters: things(body(TYPES), afterType).map((bytes) => number(bytes, 1)[0]),
    tables: things(body(TABLES), (bytes, at) => endOfLimits(bytes, at + 1)),
    globals: things(body(GLOBALS), afterGlobal),
    slots: slotsOf(body(ELEMENTS)),
  };
}

/** Where the type of a function ends: its parameters and its results, a byte each. */
function afterType(bytes, at) {
  if (bytes[at] !== 0x60) throw new Error('a type that is not a function');
  const [parameters, first] = number(bytes, at + 1);
  const [results, next] = number(bytes, first + parameters);
  return next + results;
}

/** Where a global ends: its type, whether it changes, and a constant. */
function afterGlobal(bytes, at) {
  if (bytes[at + 2] !== 0x41 && bytes[at + 2] !== 0x42) throw new Error('a global that is not a number');
  return number(bytes, at + 3)[1] + 1;
}

/** What lies in the table of functions: the index of each by its slot. */
function slotsOf(elements) {
  const slots = new Map();
  const [count, first] = number(elements, 0);
  let at = first;
  for (let n = 0; n < count; n += 1) {
    // A segment for the first table, at a constant place.
    if (elements[at] !== 0 || elements[at + 1] !== 0x41) throw new Error('a segment of the table of an unknown kind');
    const [start, end] = number(elements, at + 2);
    const [length, begin] = number(elements, end + 1);
    at = begin;
    for (let k = 0; k < length; k += 1) {
      const [index, next] = number(elements, at);
      slots.set(start + k, index);
      at = next;
    }
  }
  return slots;
}

/**
 * Patterns of the list: a line each, `!` before those that stay in the first in any case, `+` before
 * those whose own small functions lie in the rest too, since nothing of them is needed before. Those
 * of others with their types do not: they are the ones that are merged.
 */
function rulesOf(list) {
  const lines = readFileSync(list, 'utf8').split('\n').map((line) => line.replace(/#.*/, '').trim()).filter(Boolean);
  const pattern = (line) => {
    // Each part of a path may be followed by the hash of its crate.
    const text = line.replace(/^[!+]/, '').replace(/[{}()]/g, '\\$&').replaceAll('::', '(?:\\[[0-9a-f]+\\])?::');
    return new RegExp(/\w$/.test(text) ? `${text}\\b` : text);
  };
  return {
    late: lines.filter((line) => !line.startsWith('!')).map(pattern),
    whole: lines.filter((line) => line.startsWith('+')).map((line) => new RegExp(`^[^a-z]*${pattern(line).source}`)),
    foreign: lines.filter((line) => !/^!|^\+?tabloop\b/.test(line)).map((line) => new RegExp(`^[^a-z]*${pattern(line).source}`)),
    first: lines.filter((line) => line.startsWith('!')).map(pattern),
  };
}

/** The functions of the rest: those the rules name, and those that only they call. */
function lateOnes(whole, rules) {
  const named = new Set();
  for (const [index, text] of whole.names) {
    // Functions of the same code were merged, under either's name: small ones, and those of libraries
    // with our types, may serve others too. And a stub in their place would save little.
    // Those of a library that a line begins with are nobody else's.
    const isOwn = /^[^a-z]*tabloop\b/.test(text) || rules.foreign.some((rule) => rule.test(text));
    // Nor what waits in a closure: to draw and then to focus is written in many places.
    const isWhole = () => !NESTED.test(text) && rules.whole.some((rule) => rule.test(text));
    const least = () => (isWhole() ? SMALL_WORTH_A_STUB : WORTH_A_STUB);
    const own = whole.code[index]?.length >= (isOwn ? least() : DROP_WORTH_A_STUB) && (isOwn || DROP_OF_OURS.test(text));
    const late = own && rules.late.some((rule) => rule.test(text)) && !rules.first.some((rule) => rule.test(text));
    if (late) named.add(index);
  }
  if (named.size === 0) throw new Error('no function of the list is in the module');
  const kept = new Set();
  const waiting = [...exportedFunctions(whole), ...whole.slots.values()];
  while (waiting.length > 0) {
    const index = waiting.pop();
    if (kept.has(index) || named.has(index)) continue;
    kept.add(index);
    if (whole.code[index]) withFunctions(whole.code[index], (called) => (waiting.push(called), called));
  }
  return new Set(indices(whole).filter((index) => whole.code[index] && !kept.has(index)));
}

/** All functions, by their index. */
const indices = (whole) => [...whole.code.keys()];

const exportedFunctions = (whole) => whole.exported.filter(({ kind }) => kind === FUNCTION).map(({ index }) => index);

/** The first module, and what the rest is told of it. */
function firstOf(whole, late) {
  const stays = indices(whole).filter((index) => !late.has(index));
  const needed = calledBy(whole, late).filter((index) => !late.has(index));
  const stubbed = [...new Set([...whole.slots.values(), ...exportedFunctions(whole), ...calledBy(whole, stays)])]
    .filter((index) => late.has(index))
    .sort((a, b) => whole.typeOf[a] - whole.typeOf[b] || a - b);
  // Functions of the rest have a slot of the table: their own, or a new one behind the others.
  const slotOf = new Map([...whole.slots].map(([slot, index]) => [index, slot]));
  let end = Math.max(...whole.slots.keys()) + 1;
  for (const index of stubbed) if (!slotOf.has(index)) slotOf.set(index, end++);

  const order = [...stays, ...stubbed];
  const place = new Map(order.map((index, at) => [index, at]));
  const defined = order.filter((index) => whole.code[index]);
  const bodies = defined.map((index) =>
    late.has(index) ? stub(whole, index, slotOf.get(index), place.get(whole.loader)) : withFunctions(whole.code[index], (called) => place.get(called)),
  );
  const shared = sharedNames(whole, needed);
  const slots = [...whole.slots].sort(([a], [b]) => a - b);
  const replaced = {
    [FUNCTIONS]: vector(defined.map((index) => unsigned(whole.typeOf[index]))),
    [TABLES]: vector(whole.tables.map((table, at) => (at === 0 ? grown(table, end) : table))),
    [EXPORTS]: vector([
      ...whole.exported.map(({ called, kind, index }) => exportBytes({ called, kind, index: kind === FUNCTION ? place.get(index) : index })),
      ...shared.map(({ called, kind, index }) => exportBytes({ called, kind, index: kind === FUNCTION ? place.get(index) : index })),
    ]),
    [ELEMENTS]: vector(runs(slots).map((run) => segment(run, place))),
    [CODE]: vector(bodies.map((body) => Buffer.concat([unsigned(body.length), body]))),
  };
  const parts = whole.parts.filter(({ id }) => id !== 0).map(({ id, body }) => ({ id, body: replaced[id] ?? body }));
  // For who looks for the one that was called too soon, in the trace of an error.
  if (process.env.TABLOOP_NAMES) parts.push(nameSection(order.map((index) => whole.names.get(index) ?? '')));
  return { module: moduleOf(parts), needed, shared, slotOf, end };
}

/** The module of the functions of the rest: all else it imports from the first. */
function restOf(whole, late, first) {
  const order = [...first.needed, ...late];
  const place = new Map(order.map((index, at) => [index, at]));
  const body = (id) => whole.parts.find((part) => part.id === id).body;
  const memory = body(5).subarray(1);
  const what = ({ kind, index }) => {
    if (kind === FUNCTION) return Buffer.concat([Buffer.from([0]), unsigned(whole.typeOf[index])]);
    if (kind === 1) return Buffer.concat([Buffer.from([1]), index === 0 ? grown(whole.tables[0], first.end) : whole.tables[index]]);
    if (kind === 2) return Buffer.concat([Buffer.from([2]), memory]);
    return Buffer.concat([Buffer.from([3]), whole.globals[index].subarray(0, 2)]);
  };
  const slots = [...late].filter((index) => first.slotOf.has(index)).flatMap((index) => {
    const own = [...whole.slots].filter(([, each]) => each === index).map(([slot]) => slot);
    return (own.length > 0 ? own : [first.slotOf.get(index)]).map((slot) => [slot, index]);
  }).sort(([a], [b]) => a - b);
  return moduleOf([
    { id: TYPES, body: body(TYPES) },
    { id: IMPORTS, body: vector(first.shared.map((each) => importBytes({ from: '', called: each.called, what: what(each) }))) },
    { id: FUNCTIONS, body: vector([...late].map((index) => unsigned(whole.typeOf[index]))) },
    { id: ELEMENTS, body: vector(runs(slots).map((run) => segment(run, place))) },
    {
      id: CODE,
      body: vector([...late].map((index) => {
        const bytes = withFunctions(whole.code[index], (called) => place.get(called));
        return Buffer.concat([unsigned(bytes.length), bytes]);
      })),
    },
  ]);
}

/** The functions that the bodies of these name, in the order of their indices. */
function calledBy(whole, some) {
  const found = new Set();
  for (const index of some) if (whole.code[index]) withFunctions(whole.code[index], (called) => (found.add(called), called));
  return [...found].sort((a, b) => a - b);
}

/** Names under which the first module lends what the rest needs. No name of the glue has a `$`. */
function sharedNames(whole, needed) {
  const numbers = (count, kind) => Array.from({ length: count }, (_, index) => ({ kind, index }));
  const lent = [...needed.map((index) => ({ kind: FUNCTION, index })), ...numbers(whole.tables.length, 1), ...numbers(1, 2), ...numbers(whole.globals.length, 3)];
  return lent.map((each, at) => ({ ...each, called: `$${at.toString(36)}` }));
}

/** Has the rest loaded, then calls the function by its slot. */
function stub(whole, index, slot, loader) {
  const type = whole.typeOf[index];
  const given = Array.from({ length: whole.parameters[type] }, (_, at) => Buffer.concat([Buffer.from([0x20]), unsigned(at)]));
  return Buffer.concat([
    Buffer.from([0, 0x10]), unsigned(loader),
    ...given,
    Buffer.from([0x41]), signed(slot), Buffer.from([0x11]), unsigned(type), Buffer.from([0, 0x0b]),
  ]);
}

/** A table that holds at least and at most `size`. */
const grown = (table, size) => Buffer.concat([table.subarray(0, 1), Buffer.from([1]), unsigned(size), unsigned(size)]);

/** Slots that follow one another, together. */
function runs(slots) {
  const found = [];
  for (const [slot, index] of slots) {
    const last = found.at(-1);
    if (last && last.start + last.indices.length === slot) last.indices.push(index);
    else found.push({ start: slot, indices: [index] });
  }
  return found;
}

const segment = ({ start, indices }, place) =>
  Buffer.concat([Buffer.from([0, 0x41]), signed(start), Buffer.from([0x0b]), vector(indices.map((index) => unsigned(place.get(index))))]);
