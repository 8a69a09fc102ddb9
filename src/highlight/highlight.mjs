// Colours code in answers. What is what is found in a worker (worker.mjs); here its runs become
// elements around the text that already stands in the page. Only code that comes near the part in
// sight is coloured, the last that came there first.
import { address } from '../answers/files.mjs';
import { KINDS } from './kinds.mjs';

/** Longer code stays as it is. */
const MOST = 120_000;
/** Milliseconds after which the worker counts as lost in a text. */
const PATIENCE = 2_000;
/** Runs that become elements at once. */
const AT_ONCE = 1_500;

const waiting = [];
let worker;
let isBusy = false;

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    waiting.push(target);
  }
  next();
}, { rootMargin: '50% 0px' });

/** Colours `code`, whose children are parts with a text each, once it comes near what is in sight. */
export function treat(code) {
  if (code.dataset.coloured === undefined) near.observe(code);
}

function next() {
  if (isBusy) return;
  const code = waiting.pop();
  if (!code) return;
  const text = code.textContent;
  if (!code.isConnected || text.length > MOST || code.dataset.coloured !== undefined) return next();
  isBusy = true;
  worker ??= new Worker(address('highlightWorker'), { type: 'module' });
  const goOn = () => {
    clearTimeout(timer);
    isBusy = false;
    next();
  };
  const giveUp = () => {
    worker.terminate();
    worker = undefined;
    goOn();
  };
  // Some patterns take for ever on some texts.
  const timer = setTimeout(giveUp, PATIENCE);
  worker.onerror = (event) => {
    event.preventDefault();
    giveUp();
  };
  worker.onmessage = ({ data }) => {
    clearTimeout(timer);
    if (data.length > 0 && code.textContent === text && code.dataset.coloured === undefined) {
      code.dataset.coloured = '';
      paint([...code.children], data, 0, 0, goOn);
    } else goOn();
  };
  worker.postMessage([code.dataset.language, text]);
}

/** Makes elements of the runs from the `at`th on, of whose text `used` is in place, part by part. */
function paint(parts, runs, at, used, then) {
  let made = 0;
  while (parts.length > 0 && made < AT_ONCE) {
    const part = parts.shift();
    // It has changed meanwhile.
    if (!part.isConnected) return then();
    const text = part.textContent;
    const nodes = [];
    for (let from = 0; from < text.length && at < runs.length; made += 1) {
      const length = Math.min(runs[at] - used, text.length - from);
      nodes.push(node(text.slice(from, from + length), runs[at + 1]));
      from += length;
      used += length;
      if (used === runs[at]) [at, used] = [at + 2, 0];
    }
    part.replaceChildren(...nodes);
  }
  if (parts.length > 0) requestAnimationFrame(() => paint(parts, runs, at, used, then));
  else then();
}

function node(text, kind) {
  if (kind === 0) return text;
  const span = document.createElement('span');
  span.className = `code__k${kind}`;
  span.textContent = text;
  return span;
}

const look = new CSSStyleSheet();
look.replaceSync(`
  .code { --code-name: #0a6d61 }
  :root[data-theme="dark"] .code { --code-name: var(--chart-2) }
  @media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) .code { --code-name: var(--chart-2) } }
  ${KINDS.map(([style], kind) => `.code__k${kind} { ${style} }`).slice(1).join('\n')}
`);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, look];
