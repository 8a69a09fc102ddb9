// Shows PDFs: pdf.js under a frame of our own. The page loads this file when a PDF is opened for
// the first time, and finds in it what `src/ui/file_viewer/pdf.rs` names. Nothing in a PDF is
// carried out: no script, no form, no link; what its drawing needs besides (tables of characters,
// decoders) lies beside this file. What is read is read in a worker.
import { AnnotationMode, GlobalWorkerOptions, TextLayer, getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Most dots of a page's canvas; what is shown larger is drawn coarser. */
const MOST_DOTS = 16_777_216;
/** Largest image in a page, in dots. */
const MOST_IMAGE = 67_108_864;
/** Pages that are laid out at once: a file may claim to have millions. */
const AT_ONCE = 500;
/** How much larger or smaller than the pane a page can be. */
const [LEAST, MOST] = [0.25, 5];

/**
 * The pages of a PDF, one below the other, as wide as the pane.
 *
 * @param bytes the file, which is given away
 * @param tell called with what is known of it: `pages` and their number, `laid` and how many of them are
 * laid out, `page` and the number of the one in sight, or `locked` or `broken` if it can't be shown
 */
function open(bytes, tell) {
  const link = document.querySelector('link[rel=pdf]');
  const beside = (name) => new URL(link.dataset[name], document.baseURI).href;
  GlobalWorkerOptions.workerSrc = beside('worker');
  const host = document.createElement('div');
  host.className = 'pdf';
  host.tabIndex = 0;
  const task = getDocument({
    data: bytes,
    cMapUrl: beside('tables'),
    wasmUrl: beside('tables'),
    iccUrl: beside('tables'),
    useWorkerFetch: true,
    enableXfa: false,
    maxImageSize: MOST_IMAGE,
    verbosity: 0,
  });
  const view = { host, tell, pages: [], zoom: 1, closed: false };
  task.promise.then((pdf) => begin(view, pdf)).catch((error) => {
    if (!view.closed) tell(error?.name === 'PasswordException' ? 'locked' : 'broken', 0);
  });
  return {
    dom: host,
    /** Makes all pages larger or smaller; 0: as wide as the pane. */
    zoom: (by) => {
      view.zoom = by === 0 ? 1 : Math.min(MOST, Math.max(LEAST, view.zoom * by));
      layOut(view);
      return view.zoom;
    },
    /** Lays out more pages. */
    more: () => {
      if (!view.pdf) return;
      add(view);
      layOut(view);
    },
    close: () => {
      view.closed = true;
      view.sights?.disconnect();
      view.sizes?.disconnect();
      task.destroy().catch(() => {});
    },
  };
}

async function begin(view, pdf) {
  const first = await pdf.getPage(1);
  view.first = first.getViewport({ scale: 1 });
  view.pdf = pdf;
  view.tell('pages', pdf.numPages);
  const page = ({ target }) => view.pages[target.dataset.page - 1];
  // Those that come into view soon are drawn, those far from it give their memory back.
  view.sights = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        page(entry).inSight = entry.isIntersecting;
        if (entry.isIntersecting) draw(view, page(entry));
        else clear(page(entry));
      }
    },
    { root: view.host, rootMargin: '100%' },
  );
  view.sizes = new ResizeObserver(() => view.host.clientWidth !== view.width && layOut(view));
  view.host.addEventListener('scroll', () => tellPage(view), { passive: true });
  add(view);
  layOut(view);
  view.sizes.observe(view.host);
}

/** Adds the next pages. */
function add(view) {
  const { host, pages, pdf, first: { width, height } } = view;
  const to = Math.min(pdf.numPages, pages.length + AT_ONCE);
  for (let number = pages.length + 1; number <= to; number += 1) {
    const dom = document.createElement('div');
    dom.className = 'pdf__page';
    dom.dataset.page = number;
    // Until it is drawn it is thought to be as large as the first one.
    pages.push({ dom, number, width, height, drawn: 0, inSight: false });
    host.append(dom);
    view.sights.observe(dom);
  }
  view.tell('laid', to);
}

/** The page in the middle of the pane. */
function tellPage(view) {
  const middle = view.host.scrollTop + view.host.clientHeight / 2;
  const at = view.pages.findLastIndex(({ dom }) => dom.offsetTop <= middle);
  if (at >= 0 && at !== view.at) view.tell('page', (view.at = at) + 1);
}

/** Gives every page its size, keeps the place, and draws anew what is in sight. */
function layOut(view) {
  const { host, pages } = view;
  if (pages.length === 0 || host.clientWidth === 0) return;
  const place = host.scrollTop / host.scrollHeight;
  view.width = host.clientWidth;
  for (const page of pages) size(view, page);
  host.scrollTop = place * host.scrollHeight;
  for (const page of pages) if (page.inSight) draw(view, page);
  tellPage(view);
}

function size(view, page) {
  const style = getComputedStyle(view.host);
  const room = view.width - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  page.scale = (room * view.zoom) / page.width;
  page.dom.style.width = `${Math.floor(page.width * page.scale)}px`;
  page.dom.style.height = `${Math.floor(page.height * page.scale)}px`;
  page.dom.style.setProperty('--total-scale-factor', page.scale);
}

async function draw(view, page) {
  if (page.drawn === page.scale || view.closed) return;
  page.drawing?.cancel();
  const turn = (page.turn = (page.turn ?? 0) + 1);
  try {
    const found = await view.pdf.getPage(page.number);
    const real = found.getViewport({ scale: 1 });
    if (real.width !== page.width || real.height !== page.height) {
      [page.width, page.height] = [real.width, real.height];
      size(view, page);
    }
    if (page.turn !== turn || view.closed || !page.inSight) return;
    const viewport = found.getViewport({ scale: page.scale });
    const sharp = Math.min(devicePixelRatio || 1, Math.sqrt(MOST_DOTS / (viewport.width * viewport.height)));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.floor(viewport.width * sharp));
    canvas.height = Math.max(1, Math.floor(viewport.height * sharp));
    page.drawing = found.render({
      canvas,
      viewport,
      transform: [sharp, 0, 0, sharp, 0, 0],
      annotationMode: AnnotationMode.ENABLE,
    });
    await page.drawing.promise;
    if (page.turn !== turn || view.closed) return;
    const text = document.createElement('div');
    text.className = 'pdf__text';
    const layer = new TextLayer({ textContentSource: found.streamTextContent(), container: text, viewport });
    page.dom.replaceChildren(canvas, text);
    page.drawn = page.scale;
    await layer.render();
  } catch (error) {
    if (error?.name === 'RenderingCancelledException' || view.closed) return;
    // One page that can't be drawn does not take away the others.
    page.dom.classList.add('pdf__page--broken');
  }
}

function clear(page) {
  page.drawing?.cancel();
  page.turn = (page.turn ?? 0) + 1;
  page.dom.replaceChildren();
  page.drawn = 0;
}

globalThis.tabloopPdf = { open };
