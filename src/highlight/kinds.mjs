// Kinds of what stands in code: how each looks, by the page's own roles, and the scopes of
// highlight.js that are of it. The same as in the editor (src/editor/look.mjs).
export const KINDS = [
  ['', []],
  ['color: var(--accent)', ['keyword', 'operator.word', 'selector-tag', 'name', 'template-tag', 'title.class.inherited', 'tag.name']],
  ['color: var(--good)', ['string', 'regexp', 'addition', 'template-variable', 'char', 'code', 'quote']],
  ['color: var(--warn)', ['number', 'literal', 'symbol', 'subst.literal', 'char.escape', 'bullet', 'variable.constant']],
  ['color: var(--muted)', ['comment', 'doctag', 'meta', 'prompt']],
  ['color: var(--chart-4)', ['type', 'built_in', 'title.class', 'class', 'selector-class', 'selector-id', 'selector-pseudo', 'selector-attr']],
  ['color: var(--code-name)', ['title', 'title.function', 'attr', 'attribute', 'property', 'variable', 'variable.language']],
  ['color: var(--accent); font-weight: 600', ['section', 'strong']],
  ['font-style: italic', ['emphasis']],
  ['color: var(--bad)', ['deletion']],
];
