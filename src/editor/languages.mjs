// Which language a file is in, by its name.
import { cpp } from '@codemirror/lang-cpp';
import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { java } from '@codemirror/lang-java';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { markdown } from '@codemirror/lang-markdown';
import { python } from '@codemirror/lang-python';
import { rust } from '@codemirror/lang-rust';
import { sql } from '@codemirror/lang-sql';
import { xml } from '@codemirror/lang-xml';
import { yaml } from '@codemirror/lang-yaml';
import { StreamLanguage } from '@codemirror/language';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { go } from '@codemirror/legacy-modes/mode/go';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { toml } from '@codemirror/legacy-modes/mode/toml';

const legacy = (mode) => () => StreamLanguage.define(mode);

const byEnding = [
  ['js mjs cjs jsx', () => javascript({ jsx: true })],
  ['ts mts cts', () => javascript({ typescript: true })],
  ['tsx', () => javascript({ jsx: true, typescript: true })],
  ['json jsonl map webmanifest', json],
  ['html htm vue svelte', html],
  ['css scss less', css],
  ['md markdown mdx', markdown],
  ['py pyi', python],
  ['rs', rust],
  ['java', java],
  ['c h cc cpp cxx hh hpp hxx ino', cpp],
  ['sql', sql],
  ['xml svg xsl xsd rss atom plist', xml],
  ['yaml yml', yaml],
  ['sh bash zsh ksh', legacy(shell)],
  ['toml', legacy(toml)],
  ['ini cfg conf properties env', legacy(properties)],
  ['go', legacy(go)],
  ['rb', legacy(ruby)],
  ['diff patch', legacy(diff)],
];

const byName = [
  ['dockerfile containerfile', legacy(dockerFile)],
  ['.bashrc .profile .zshrc', legacy(shell)],
  ['.env .gitconfig .editorconfig', legacy(properties)],
  ['cargo.lock', legacy(toml)],
];

/** The extension for a file called `name`; nothing where the language is not known. */
export function languageOf(name) {
  const bare = name.toLowerCase().split('/').at(-1);
  const ending = bare.split('.').at(-1);
  const find = (table, word) => table.find(([words]) => words.split(' ').includes(word))?.[1];
  return (find(byName, bare) ?? find(byEnding, ending))?.() ?? [];
}
