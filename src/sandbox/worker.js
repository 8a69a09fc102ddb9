// What runs first in the worker of a script: the console and the files as the script sees them.
// Nothing here guards anything: the frame around it and the kernel do.

(() => {
  const MAX_PRINTED = 256 << 10;
  const post = self.postMessage.bind(self);
  const text = JSON.stringify;
  const say = (line, bytes) => post([text(line), bytes]);

  // --- Values as text ---

  function show(value) {
    if (typeof value === 'string') return value;
    return inspect(value, 0, new Set());
  }

  function inspect(value, depth, above) {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'function') return `[function ${value.name || 'without a name'}]`;
    if (typeof value !== 'object' || value === null) return String(value);
    if (value instanceof Error) return describe(value);
    if (value instanceof Date || value instanceof RegExp) return String(value);
    if (above.has(value)) return '[circular]';
    if (depth > 5) return Array.isArray(value) ? '[…]' : '{…}';
    above.add(value);
    const inner = (each) => inspect(each, depth + 1, above);
    let shown;
    if (value instanceof Map) shown = `Map {${some([...value], ([key, each]) => `${inner(key)} => ${inner(each)}`)}}`;
    else if (value instanceof Set) shown = `Set {${some([...value], inner)}}`;
    else if (Array.isArray(value)) shown = `[${some(value, inner)}]`;
    else if (ArrayBuffer.isView(value)) shown = `${value.constructor.name}(${value.byteLength}) [${some([...new Uint8Array(value.buffer, value.byteOffset, Math.min(value.byteLength, 100))], String)}]`;
    else shown = `{${some(Object.entries(value), ([key, each]) => `${/^[\w$]+$/.test(key) ? key : text(key)}: ${inner(each)}`)}}`;
    above.delete(value);
    return shown;
  }

  function some(list, each) {
    const shown = list.slice(0, 100).map(each).join(', ');
    return list.length > 100 ? `${shown}, … ${list.length - 100} more` : shown;
  }

  /** An error with the line of the script that it comes from. */
  function describe(error) {
    if (!(error instanceof Error)) return `thrown: ${show(error)}`;
    // Two lines stand before the script where it is made a function.
    const [, line] = /run_js:(\d+)/.exec(error.stack) ?? [];
    return `${error.name}: ${error.message}${line ? ` (line ${line - 2})` : ''}`;
  }

  // --- Console ---

  let lines = [];
  let printed = 0;
  let more = 0;

  function flush() {
    if (lines.length > 0 || more > 0) say({ Printed: { lines, more } });
    [lines, more] = [[], 0];
  }

  function print(mark, values) {
    if (printed > MAX_PRINTED) {
      more += 1;
      return;
    }
    const line = (mark + values.map(show).join(' ')).slice(0, MAX_PRINTED);
    printed += line.length;
    if (lines.length === 0) setTimeout(flush, 50);
    lines.push(line);
  }

  const plain = (...values) => print('', values);
  self.console = {
    log: plain, info: plain, debug: plain, dir: plain, table: plain, group: plain, trace: plain,
    warn: (...values) => print('warn: ', values),
    error: (...values) => print('error: ', values),
    assert: (holds, ...values) => holds || print('assertion failed: ', values),
    groupEnd() {}, time() {}, timeEnd() {}, count() {}, clear() {},
  };
  self.addEventListener('unhandledrejection', (event) => print('error: not caught: ', [event.reason]));

  // --- Files ---

  let asked = 0;
  const waiting = new Map();

  function ask(what, path, bytes) {
    asked += 1;
    const n = asked;
    say({ [what]: { n, path: String(path) } }, bytes);
    return new Promise((resolve, reject) => waiting.set(n, { resolve, reject }));
  }

  function answered({ data: [json, bytes] }) {
    const { n, problem, paths } = JSON.parse(json);
    const { resolve, reject } = waiting.get(n) ?? {};
    waiting.delete(n);
    if (problem) reject?.(new Error(problem));
    else resolve?.({ paths, bytes });
  }

  function bytesOf(content) {
    if (content instanceof ArrayBuffer) return new Uint8Array(content);
    if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength).slice();
    if (typeof content === 'string') return new TextEncoder().encode(content);
    throw new TypeError(`files.write takes text or bytes, not ${content === null ? 'null' : typeof content}; JSON.stringify makes text of data`);
  }

  const files = Object.freeze({
    list: async (path = '') => (await ask('List', path)).paths,
    bytes: async (path) => (await ask('Read', path)).bytes,
    read: async (path) => {
      const { bytes } = await ask('Read', path);
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        throw new Error(`${path} is not UTF-8 text; files.bytes reads it`);
      }
    },
    write: async (path, content) => void (await ask('Write', path, bytesOf(content))),
    delete: async (path) => void (await ask('Delete', path)),
  });

  // --- The script ---

  const AsyncFunction = (async () => {}).constructor;
  const make = (body) => new AsyncFunction('files', `${body}\n//# sourceURL=run_js`);
  const makes = (body) => {
    try {
      return make(body);
    } catch {
      return null;
    }
  };

  /** The script as a function that gives back the value of its last expression, if it ends with one. */
  function scriptOf(code) {
    if (makes(`return (${code}\n)`)) return make(`return (${code}\n)`);
    const whole = make(code);
    const starts = [...code.matchAll(/(?:^|[;\n])[ \t]*(?=[^\s;])/g)].map((match) => match.index + match[0].length);
    for (const at of starts.slice(-40).reverse()) {
      const [head, tail] = [code.slice(0, at), code.slice(at).replace(/[;\s]+$/, '')];
      // What begins so goes on with what stands before it, or is a statement.
      if (/^(?:[+\-/*.,?&|<>=%{}:]|(?:async\s+)?function\b|class\b)/.test(tail)) continue;
      if (/^[([`]/.test(tail) && !/;\s*$/.test(head)) continue;
      const script = makes(head) && makes(`${head}return (${tail}\n)`);
      if (script) return script;
    }
    return whole;
  }

  self.addEventListener('message', async ({ data: [code] }) => {
    self.addEventListener('message', answered);
    let script;
    try {
      script = scriptOf(code);
    } catch (error) {
      return say({ Malformed: `${error.name}: ${error.message}` });
    }
    try {
      const value = await script(files);
      flush();
      say({ Done: { value: value === undefined ? null : show(value) } });
    } catch (error) {
      flush();
      say({ Threw: { problem: describe(error) } });
    }
  }, { once: true });
})();
