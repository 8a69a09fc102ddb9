// How the editor looks: colours, sizes and fonts by the page's own roles (style/tokens.css), which
// reach into the shadow tree and follow light and dark by themselves.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--bg)', fontSize: 'var(--size-label)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overscrollBehavior: 'contain' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-activeLineGutter': { color: 'var(--text)' },
  '.cm-foldPlaceholder': { border: 'none', backgroundColor: 'var(--sunken)', color: 'var(--muted)', padding: '0 4px' },
  '.cm-selectionMatch': { backgroundColor: 'var(--press)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)', outline: '2px solid var(--accent)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--press)', outline: '1px solid var(--edge)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search': { padding: '6px 32px 6px 8px', fontFamily: 'var(--font)', fontSize: 'var(--size-small)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--size-small)', whiteSpace: 'nowrap' },
  '.cm-textfield': {
    minHeight: '28px', padding: '0 8px', border: '1px solid var(--edge)', borderRadius: 'var(--radius)', color: 'var(--text)',
    backgroundColor: 'var(--bg)', fontSize: 'var(--size-small)',
  },
  '.cm-button': {
    minHeight: '28px', padding: '0 8px', border: '1px solid var(--border)', borderRadius: 'var(--radius)', color: 'var(--text)',
    backgroundColor: 'var(--raised)', backgroundImage: 'none', fontSize: 'var(--size-small)', cursor: 'pointer',
  },
  '.cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-panel.cm-search [name=close]': {
    top: '6px', right: '6px', width: '28px', height: '28px', color: 'var(--muted)', fontSize: '18px', cursor: 'pointer',
  },
  ':is(.cm-textfield, .cm-button, [name=close], input):focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-panel.cm-gotoLine': { padding: '6px 8px', fontFamily: 'var(--font)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword, tags.tagName], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.inserted], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.escape, tags.unit, tags.color], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta, tags.documentMeta, tags.processingInstruction], color: 'var(--muted)' },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.macroName, tags.annotation], color: 'var(--chart-4)' },
  { tag: [tags.attributeName, tags.propertyName, tags.definition(tags.propertyName), tags.labelName], color: 'var(--code-name)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--code-name)' },
  { tag: tags.heading, fontWeight: '600', color: 'var(--accent)' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent)', textDecoration: 'underline' },
  { tag: [tags.deleted, tags.invalid], color: 'var(--bad)' },
]);

export const look = [theme, syntaxHighlighting(colours)];
