// Makes files of the editor, of the PDF viewer and of what makes more of answers, with what they are built
// from (src/editor/, src/pdf/, src/answers/ and those beside it). The page loads them when something is
// edited, a PDF opened, or code or a formula shown for the first time. Versions are those of
// their lock files.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { esbuild } from './shrink.mjs';

/** @returns the text of one module without imports. */
export function bundleEditor() {
  // Its makers' licence asks to be named.
  return bundle('src/editor/editor.mjs', 'CodeMirror 6 and Lezer: copyright by Marijn Haverbeke and others, MIT licence, codemirror.net');
}

/** @returns the viewer's module, that of its worker, and the files that these ask for by name. */
export async function bundlePdf() {
  const pdfjs = 'src/pdf/node_modules/pdfjs-dist';
  const makers = 'PDF.js: copyright by Mozilla Foundation, Apache licence 2.0, mozilla.github.io/pdf.js';
  const tables = [
    // Characters of East Asian fonts that are not in the file; decoders; colours of printers.
    ['cmaps', /\.bcmap$/],
    ['wasm', /^(?:jbig2|openjpeg|qcms_bg)\.wasm$|^LICENSE/],
    ['iccs', /\.icc$/],
  ].flatMap(([folder, wanted]) => {
    const names = readdirSync(join(pdfjs, folder)).filter((name) => wanted.test(name));
    return names.map((name) => [name, readFileSync(join(pdfjs, folder, name))]);
  });
  return {
    viewer: await bundle('src/pdf/pdf.mjs', makers),
    worker: await bundle(`${pdfjs}/legacy/build/pdf.worker.mjs`, makers),
    tables,
  };
}

/** @returns what makes more of answers: files that it fetches in turn, and its own text once these have names. */
export async function bundleAnswers() {
  const makers = {
    highlight: 'highlight.js: copyright by Ivan Sagalaev and others, BSD 3-clause licence, highlightjs.org',
    math: 'Temml: copyright by Ron Kok and others, MIT licence, temml.org',
  };
  return {
    highlightWorker: await bundle('src/highlight/worker.mjs', makers.highlight),
    math: await bundle('src/math/math.mjs', makers.math),
    main: (files) => bundle('src/answers/answers.mjs', 'of Tabloop itself', { define: { FILES: JSON.stringify(files) } }),
  };
}

async function bundle(entry, makers, more = {}) {
  const { outputFiles } = await esbuild().build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    target: 'es2022',
    banner: { js: `/* ${makers} */` },
    write: false,
    ...more,
  });
  return outputFiles[0].text;
}
