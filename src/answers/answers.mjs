// Makes more of what is drawn of answers: colours code, sets formulas, and lets keys
// scroll what is too wide. The page loads
// this file when there is something of that for the first time, and finds in it what
// `src/ui/markdown/helper.rs` names. What is large lies in files of its own, which the build names.
import { treat as colour } from '../highlight/highlight.mjs';
import { address } from './files.mjs';

let math;

/** What is wider than its place takes the focus, and only that: each stop is one more press for those who have but keys. */
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scroller = target.closest('.prose__table, .code__text');
    if (scroller?.scrollWidth > scroller?.clientWidth) scroller.tabIndex = 0;
    else scroller?.removeAttribute('tabindex');
  }
});

/** Treats an element, once: code in a language, or a formula. */
async function treat(element) {
  if (element.dataset.tried !== undefined) return;
  element.dataset.tried = '';
  if (element.matches('.prose__table, .code__text')) {
    sizes.observe(element);
    sizes.observe(element.firstElementChild);
  } else if (element.localName !== 'code') {
    math ??= import(address('math'));
    // Without it a formula stands as it was written.
    (await math.catch(() => (math = undefined)))?.treat(element);
  } else colour(element);
}

globalThis.tabloopAnswers = { treat };
