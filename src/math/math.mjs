// Sets formulas of answers: Temml makes MathML elements of LaTeX. A formula that can't be read stays
// as it was written. Only what comes near the part in sight is set.
import temml from 'temml';

/** Milliseconds of a frame that are spent on formulas. */
const A_FRAME = 8;
const MATHML = 'http://www.w3.org/1998/Math/MathML';
/** What an element of a formula may say of itself: nothing that leads, loads or has a name in the page. */
const HARMLESS = new Set([
  'accent', 'accentunder', 'columnalign', 'columnlines', 'columnspacing', 'columnspan', 'depth', 'dir', 'display', 'displaystyle', 'fence',
  'form', 'frame', 'height', 'largeop', 'linebreak', 'linethickness', 'lspace', 'mathbackground', 'mathcolor', 'mathsize', 'mathvariant',
  'maxsize', 'minsize', 'movablelimits', 'notation', 'rowalign', 'rowlines', 'rowspacing', 'rowspan', 'rspace', 'scriptlevel', 'separator',
  'stretchy', 'style', 'symmetric', 'voffset', 'width',
]);
const OPTIONS = { throwOnError: true, trust: false, strict: false, annotate: false, maxExpand: 500, maxSize: [30, 30] };
const DELIMITERS = [['$$', '$$'], ['\\[', '\\]'], ['\\(', '\\)'], ['$', '$']];

const waiting = [];
let isAsked = false;

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    waiting.push(target);
  }
  ask();
}, { rootMargin: '50% 0px' });

/** Sets the formula that `place` holds as it was written, once it comes near what is in sight. */
export function treat(place) {
  near.observe(place);
}

function ask() {
  if (isAsked || waiting.length === 0) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    const end = performance.now() + A_FRAME;
    do set(waiting.pop()); while (waiting.length > 0 && performance.now() < end);
    ask();
  });
}

function set(place) {
  if (!place.isConnected || place.dataset.set !== undefined) return;
  const source = place.textContent.trim();
  const [open, close] = DELIMITERS.find(([open]) => source.startsWith(open)) ?? [];
  if (!open || !source.endsWith(close)) return;
  // Temml would write styles of these as attributes, which is against the page's policy.
  if (/\\(?:prescript|sideset|pmb)(?![a-zA-Z])/.test(source)) return;
  const holder = document.createElement('span');
  try {
    const tex = source.slice(open.length, -close.length);
    temml.render(tex, holder, { ...OPTIONS, displayMode: place.dataset.display !== undefined });
  } catch {
    return;
  }
  const math = holder.firstElementChild;
  if (!math || ![math, ...math.querySelectorAll('*')].every(isHarmless)) return;
  place.dataset.set = '';
  place.replaceChildren(math);
}

function isHarmless(element) {
  if (element.namespaceURI !== MATHML) return false;
  for (const { name } of [...element.attributes]) if (!HARMLESS.has(name)) element.removeAttribute(name);
  return !['annotation-xml', 'maction', 'a', 'mglyph'].includes(element.localName);
}

const look = new CSSStyleSheet();
look.replaceSync(`
  .prose__math:not([data-set]) { font-family: var(--mono); font-size: 0.88em }
  .prose__math[data-set] { font-family: inherit; font-size: inherit; color: inherit; white-space: normal }
  .prose__math[data-set][data-display] { display: block; overflow-x: auto; overflow-y: hidden; padding-block: 2px }
  .prose__math math { font-size: 1.1em }
`);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, look];
