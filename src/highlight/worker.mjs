// Finds what is what in code, off the page's thread: highlight.js with the languages that models
// write most. It is asked for `[language, text]` and answers with runs, a number of UTF-16 units
// and a kind each, one behind the other to the end of the text. There is no HTML in it.
import hljs from 'highlight.js/lib/common';
import clojure from 'highlight.js/lib/languages/clojure';
import dart from 'highlight.js/lib/languages/dart';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import elixir from 'highlight.js/lib/languages/elixir';
import haskell from 'highlight.js/lib/languages/haskell';
import latex from 'highlight.js/lib/languages/latex';
import nginx from 'highlight.js/lib/languages/nginx';
import powershell from 'highlight.js/lib/languages/powershell';
import protobuf from 'highlight.js/lib/languages/protobuf';
import scala from 'highlight.js/lib/languages/scala';
import { KINDS } from './kinds.mjs';

const more = { clojure, dart, dockerfile, elixir, haskell, latex, nginx, powershell, protobuf, scala };
for (const [name, language] of Object.entries(more)) hljs.registerLanguage(name, language);
hljs.registerAliases(['jsonc', 'json5', 'jsonl'], { languageName: 'json' });
hljs.registerAliases(['vue', 'svelte'], { languageName: 'xml' });

/** What highlight.js tells of its findings, in the place of the tree that it would make HTML of. */
class Runs {
  runs = [];
  #kinds = [0];

  addText(text) {
    if (text !== '') this.runs.push(text.length, this.#kinds.at(-1));
  }

  openNode(scope) {
    // What is put into a string is code again.
    this.#kinds.push(scope === 'subst' ? 0 : kindOf(scope) || this.#kinds.at(-1));
  }

  closeNode() {
    if (this.#kinds.length > 1) this.#kinds.pop();
  }

  startScope(scope) {
    this.openNode(scope);
  }

  endScope() {
    this.closeNode();
  }

  __addSublanguage({ runs }) {
    for (const run of runs) this.runs.push(run);
  }

  finalize() {}

  toHTML() {
    return '';
  }
}

/** The kind that a scope such as `title.function` is of; 0 if it is of none. */
function kindOf(scope = '') {
  for (let name = scope; name; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const kind = KINDS.findIndex(([, scopes]) => scopes.includes(name));
    if (kind > 0) return kind;
  }
  return 0;
}

hljs.configure({ __emitter: Runs });
hljs.safeMode();

onmessage = ({ data: [language, text] }) => {
  let runs = [];
  if (hljs.getLanguage(language)) runs = hljs.highlight(text, { language, ignoreIllegals: true })._emitter.runs;
  postMessage(Uint32Array.from(runs));
};
