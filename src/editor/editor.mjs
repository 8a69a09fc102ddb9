// The editor: CodeMirror with the look and the keys of the page. The page loads this file when
// something is edited for the first time, and finds in it what `src/ui/editing/bridge.rs` names.
// It knows nothing of files: it is given a text and tells when it differs from what was saved.
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import {
  EditorView, crosshairCursor, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter,
  highlightSpecialChars, keymap, lineNumbers, rectangularSelection,
} from '@codemirror/view';
import { languageOf } from './languages.mjs';
import { look } from './look.mjs';
import { chinese } from './phrases.mjs';

/**
 * An editor over a text.
 *
 * @param text what is saved
 * @param name the file's name, which tells the language and is what readers hear
 * @param separator what alone ends a line, where returns belong to the text; nothing where any line end does
 * @param tongue the page's language
 * @param changed called with true when the text begins to differ from what is saved, and with false
 * when it no longer does
 * @param save called when the user wants to save
 */
function open(text, name, separator, tongue, changed, save) {
  const host = document.createElement('div');
  host.className = 'editor';
  // Styles of a shadow tree can be given as objects; a <style> would be against the page's policy.
  const root = host.attachShadow({ mode: 'open' });
  let saved;
  let differs = false;
  let sent;
  let scroll;
  const lookAgain = () => {
    const now = !saved.eq(view.state.doc);
    if (now !== differs) changed((differs = now));
  };
  const unit = unitOf(text);
  const extensions = [
    lineNumbers(), highlightActiveLineGutter(), foldGutter(), highlightSpecialChars(), history(), drawSelection(), dropCursor(),
    indentOnInput(), bracketMatching(), closeBrackets(), rectangularSelection(), crosshairCursor(), highlightActiveLine(),
    highlightSelectionMatches(), search({ top: true }), indentUnit.of(unit), EditorState.tabSize.of(4), EditorView.lineWrapping,
    EditorState.allowMultipleSelections.of(true),
    EditorView.contentAttributes.of({ 'aria-label': name }),
    separator ? EditorState.lineSeparator.of(separator) : [],
    tongue.startsWith('zh') ? EditorState.phrases.of(chinese) : [],
    keymap.of([
      { key: 'Mod-s', preventDefault: true, run: () => (save(), true) },
      ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, indentWithTab,
    ]),
    EditorView.updateListener.of((update) => update.docChanged && lookAgain()),
    languageOf(name), look,
  ];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  saved = view.state.doc;
  // Taken out of the page, it forgets where it was.
  view.scrollDOM.addEventListener('scroll', () => host.isConnected && (scroll = view.scrollSnapshot()));
  // Escape closes what is open in the editor, not the pane around it.
  host.addEventListener('keydown', (event) => event.key === 'Escape' && event.stopPropagation());

  return {
    dom: host,
    /** The text, to be saved. */
    text: () => (sent = view.state.doc).toString(),
    /** What [text] gave last is saved. */
    settled: () => {
      saved = sent ?? saved;
      lookAgain();
    },
    /** The saved text is another one: shows it, and leaves the cursor where it was if it can. */
    take: (other) => {
      const old = view.state.doc.toString();
      const end = Math.min(old.length, other.length);
      let from = 0;
      while (from < end && old[from] === other[from]) from += 1;
      let tail = 0;
      while (tail < end - from && old[old.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
      const change = { from, to: old.length - tail, insert: other.slice(from, other.length - tail) };
      if (change.from !== change.to || change.insert !== '') view.dispatch({ changes: change });
      saved = view.state.doc;
      lookAgain();
    },
    /** It has been put into the page. */
    shown: () => {
      view.requestMeasure();
      if (scroll) view.dispatch({ effects: scroll });
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

/** What one step of indentation is in a text: that of its first indented line. */
function unitOf(text) {
  const [, first] = text.slice(0, 20_000).match(/\n(\t| {2,8})\S/) ?? [];
  return first ?? '  ';
}

globalThis.tabloopEditor = { open };
