// Makes what the page loads beside the module's code smaller: the glue and the styles are
// minified (esbuild), and the names by which glue and module know each other's functions, which
// are long to be unique among crates, become letters.
import { createRequire } from 'node:module';
import { exportBytes, exportsOf, importBytes, importsOf, moduleOf, sections, vector } from './wasm.mjs';

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
  return { glue: await minify(text, 'js'), module: moduleOf(shorter) };
}

/** `text` without what only people read. */
export async function minify(text, kind) {
  const { code } = await esbuild().transform(text, { loader: kind, minify: true, charset: 'utf8', legalComments: 'none' });
  return code;
}

/** What minifies and bundles. */
export function esbuild() {
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

const withImports = (body, rename) => vector(importsOf(body).map((each) => importBytes({ ...each, called: rename(each.called) })));

const withExports = (body, rename) => vector(exportsOf(body).map((each) => exportBytes({ ...each, called: rename(each.called) })));
