// Makes one file of the editor and of what it is built from (src/editor/), which the page loads when
// something is edited for the first time. Versions are those of its lock file.
import { esbuild } from './shrink.mjs';

/** @returns the text of one module without imports. */
export async function bundleEditor() {
  const { outputFiles } = await esbuild().build({
    entryPoints: ['src/editor/editor.mjs'],
    bundle: true,
    format: 'esm',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    target: 'es2022',
    // Its makers' licence asks to be named.
    banner: { js: '/* CodeMirror 6 and Lezer: copyright by Marijn Haverbeke and others, MIT licence, codemirror.net */' },
    write: false,
  });
  return outputFiles[0].text;
}
