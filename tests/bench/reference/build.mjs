// Makes one file each of the reference pages, as they would be served.
import { fileURLToPath } from 'node:url';
import { esbuild } from '../../../scripts/shrink.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Builds them into output/. */
export const buildReferences = () => esbuild().build({
  entryPoints: ['streamdown', 'react-markdown'].map((name) => path(`${name}.mjs`)),
  outdir: path('../output/reference'),
  bundle: true,
  format: 'esm',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'error',
});
