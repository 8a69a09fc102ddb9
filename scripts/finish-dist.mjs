// Trunk's last step: turns the page it wrote into the page that is served. Packs the module, sets
// the content security policy and the build's name, and fails the build when the page would need
// more than the policy allows, since a browser would only refuse it quietly. A finished page stays
// as it is.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unpack } from '../src/unpack.mjs';
import { bundleAnswers, bundleEditor, bundlePdf } from './bundle.mjs';
import { pack } from './pack.mjs';
import { tags } from './page.mjs';
import { sandbox } from './sandbox.mjs';
import { minify, shrinkPair } from './shrink.mjs';
import { split } from './split.mjs';

const stage = process.env.TRUNK_STAGING_DIR ?? 'dist';
const release = (process.env.TRUNK_PROFILE ?? 'release') === 'release';
const pagePath = join(stage, 'index.html');

/** The whole policy. The loader's hash is added to `script-src`. */
const policy = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'media-src': 'data: blob:',
  'connect-src': "'self' https: http://localhost:* http://127.0.0.1:*",
  'worker-src': "'self'",
  'frame-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** Trunk's loader and nothing else, with the glue and the module it names. */
const trunksLoader = new RegExp(
  [
    /^\s*import init(?:, \* as bindings)? from '\.\/([\w.-]+\.js)';/,
    /\s*const wasm = await init\(\{ module_or_path: '\.\/([\w.-]+\.wasm)' \}\);/,
    /\s*(?:window\.\w+ = bindings;)?/,
    /\s*dispatchEvent\(new CustomEvent\("TrunkApplicationStarted", \{detail: \{wasm\}\}\)\);\s*$/,
  ]
    .map((part) => part.source)
    .join(''),
);

// The shell is built by itself (scripts/build-shell.sh), and lies beside the page.
const shell = process.env.TABLOOP_SHELL_DIST;
for (const file of shell ? JSON.parse(readFileSync(join(shell, 'known.json'), 'utf8')).files : []) {
  copyFileSync(join(shell, file), join(stage, file));
}

const problems = [];
const found = withoutPolicy(readFileSync(pagePath, 'utf8'));
const html = await withSandbox(await withAnswers(await withPdf(await withEditor(release ? await withTwoStyles(await withPackedModule(found)) : found))));
const loader = checkScripts(html);
checkLinks(html);
checkMarkup(html);
checkStyles();

if (problems.length > 0) {
  console.error(`The page must not be served as it is:\n${problems.map((each) => `  - ${each}`).join('\n')}`);
  process.exit(1);
}

const build = buildName();
const finished = withBuild(withPolicy(html, loader), build);
// Browsers look for the charset in the first 1024 bytes only, and the policy stands before it.
assert(Buffer.from(finished.slice(0, finished.indexOf('<meta charset=') + 32)).length <= 1024);
writeFileSync(pagePath, finished);
console.log(`    build ${build}, content security policy set`);

/**
 * Packs the module, and puts our loader in the place of trunk's. The packed file is named by its
 * own content: trunk named the module by what it was before wasm-opt.
 */
async function withPackedModule(page) {
  for (const { text } of tags(page, 'script')) {
    const [, glue, name] = text.match(trunksLoader) ?? [];
    if (!glue) continue;
    const { first, rest } = split(readFileSync(join(stage, name)), 'scripts/later.txt');
    const pair = await shrinkPair(readFileSync(join(stage, glue), 'utf8'), first);
    const content = pair.module;
    const packed = await pack(content);
    assert(content.equals(unpack(packed)), 'the packed module unpacks to another one');
    const packedName = `${glue.replace(/-.*/, '')}-${shortHash(packed)}.wasm.lzma`;
    // The rest is named as the glue is: that is how it is found (src/browser/rest.rs).
    const stem = `${glue.replace(/-.*/, '')}-${shortHash(Buffer.concat([Buffer.from(pair.glue), rest]))}`;
    const [glueName, restName] = [`${stem}.js`, `${stem}.wasm`];
    const integrity = `sha384-${hash('sha384', packed)}`;
    const [preload, glueLink] = [name, glue].map((file) => onlyLink(page, file));
    if (!preload || !glueLink) continue;
    for (const old of [name, glue]) rmSync(join(stage, old));
    writeFileSync(join(stage, packedName), packed);
    writeFileSync(join(stage, glueName), pair.glue);
    writeFileSync(join(stage, restName), rest);
    console.log(`    packed ${content.length} bytes into ${packed.length}, the rest is ${rest.length}`);
    return page
      .replace(glueLink.source, () => `<link rel="modulepreload" href="./${glueName}" crossorigin="anonymous" integrity="sha384-${hash('sha384', pair.glue)}"><link rel="rest" href="./${restName}" integrity="sha384-${hash('sha384', rest)}">`)
      .replace(preload.source, () => `<link rel="preload" as="fetch" href="./${packedName}" crossorigin="anonymous" integrity="${integrity}">`)
      .replace(text, () => loaderText({ glue: `./${glueName}`, packed: `./${packedName}`, integrity }));
  }
  return page;
}

/** Writes the file in which foreign code runs, and names it in the page. */
async function withSandbox(page) {
  const text = await sandbox(release ? (script) => minify(script, 'js') : (script) => script);
  const name = `sandbox-${shortHash(text)}.html`;
  writeFileSync(join(stage, name), text);
  const bare = page.replace(/<link rel="sandbox"[^>]*>/, '');
  return bare.replace('</head>', () => `<link rel="sandbox" href="./${name}"></head>`);
}

/** The one link to a file. */
function onlyLink(page, file) {
  const links = tags(page, 'link').filter(({ attributes }) => attributes.href === `./${file}`);
  if (links.length !== 1) problems.push(`${links.length} links to ${file}, where one is expected`);
  return links[0];
}

/**
 * Puts the styles, in their order, into two files: that packs better than many, and is one request.
 * Those that index.html marks as late are of views whose code lies in the rest of the module, and
 * are loaded with it (src/browser/rest.rs).
 */
async function withTwoStyles(page) {
  const links = tags(page, 'link').filter(({ attributes }) => attributes.rel === 'stylesheet');
  const fileOf = ({ attributes }) => join(stage, attributes.href);
  // A finished page has them already.
  if (links.length < 2 || !links.map(fileOf).every(existsSync)) return page;
  const marked = tags(readFileSync('index.html', 'utf8'), 'link').filter(({ attributes }) => 'data-late' in attributes);
  const stems = marked.map(({ attributes }) => basename(attributes.href, '.css'));
  const isLate = ({ attributes }) => stems.some((stem) => basename(attributes.href).startsWith(`${stem}-`));
  const written = [];
  for (const [rel, some] of [['stylesheet', links.filter((link) => !isLate(link))], ['late', links.filter(isLate)]]) {
    const styles = await minify(some.map((link) => readFileSync(fileOf(link), 'utf8')).join('\n'), 'css');
    const name = `style-${shortHash(styles)}.css`;
    written.push([name, styles, `<link rel="${rel}" href="./${name}" integrity="sha384-${hash('sha384', styles)}">`]);
  }
  for (const link of links) rmSync(fileOf(link));
  for (const [name, styles] of written) writeFileSync(join(stage, name), styles);
  const [first, ...others] = links;
  const both = written.map(([, , link]) => link).join('');
  return others.reduce((rest, { source }) => rest.replace(source, ''), page.replace(first.source, () => both));
}

/** Names the editor, which the page loads by this link when something is first edited. */
async function withEditor(page) {
  if (tags(page, 'link').some(({ attributes }) => attributes.rel === 'editor')) return page;
  const text = await bundleEditor();
  const name = `editor-${shortHash(text)}.js`;
  writeFileSync(join(stage, name), text);
  console.log(`    the editor is ${Buffer.byteLength(text)} bytes, loaded when it is first used`);
  return page.replace('</head>', () => `<link rel="editor" href="./${name}" integrity="sha384-${hash('sha384', text)}"></head>`);
}

/**
 * Names the PDF viewer, which the page loads by this link when a PDF is first opened, and what that
 * loads in turn: a worker, and files that lie in a folder of their own.
 */
async function withPdf(page) {
  if (tags(page, 'link').some(({ attributes }) => attributes.rel === 'pdf')) return page;
  const { viewer, worker, tables } = await bundlePdf();
  const [name, workerName] = [`pdf-${shortHash(viewer)}.js`, `pdf-worker-${shortHash(worker)}.js`];
  const folder = `pdf-tables-${shortHash(Buffer.concat(tables.map(([, content]) => content)))}`;
  writeFileSync(join(stage, name), viewer);
  writeFileSync(join(stage, workerName), worker);
  mkdirSync(join(stage, folder), { recursive: true });
  for (const [file, content] of tables) writeFileSync(join(stage, folder, file), content);
  const bytes = [viewer, worker].map((text) => Buffer.byteLength(text));
  console.log(`    the PDF viewer is ${bytes[0]} bytes and its worker ${bytes[1]}, loaded when they are first used`);
  return page.replace('</head>', () => `<link rel="pdf" href="./${name}" integrity="sha384-${hash('sha384', viewer)}" data-worker="./${workerName}" data-tables="./${folder}/"></head>`);
}

/**
 * Names what makes more of answers, which the page loads by this link when there is something for it. What
 * that loads in turn stands in it: a link of its own would cost the first load something.
 */
async function withAnswers(page) {
  if (tags(page, 'link').some(({ attributes }) => attributes.rel === 'answers')) return page;
  const { main, ...parts } = await bundleAnswers();
  const files = {};
  for (const [part, text] of Object.entries(parts)) {
    files[part] = `./answers-${part.toLowerCase()}-${shortHash(text)}.js`;
    writeFileSync(join(stage, files[part]), text);
    console.log(`    answers, ${part}: ${Buffer.byteLength(text)} bytes, loaded when it is first used`);
  }
  const text = await main(files);
  const name = `answers-${shortHash(text)}.js`;
  writeFileSync(join(stage, name), text);
  console.log(`    answers: ${Buffer.byteLength(text)} bytes, loaded when it is first used`);
  return page.replace('</head>', () => `<link rel="answers" href="./${name}" integrity="sha384-${hash('sha384', text)}"></head>`);
}

/** Our loader as it stands in the page: in one piece, without comments and indents. */
function loaderText(names) {
  const bare = (path) =>
    readFileSync(path, 'utf8')
      .replace(/^\s*\/\*\*[\s\S]*?\*\/$/gm, '')
      .replace(/(?:^|\s)\s*\/\/(?: .*)?$/gm, '')
      .replace(/^import .*$/m, '')
      .replace(/^export /m, '')
      .replace(/^const build = .*$/m, () => `const build = ${JSON.stringify(names)};`)
      .replace(/\s*\n\s*/g, '\n');
  return `\n${bare('src/unpack.mjs').trim()}\n${bare('src/loader.mjs').trim()}\n`;
}

/** Whether a script is our loader, of what the page names beside it. */
function isOurs(page, text) {
  const named = (rel) => tags(page, 'link').find(({ attributes }) => attributes.rel === rel)?.attributes ?? {};
  const { href: packed, integrity } = named('preload');
  return text === loaderText({ glue: named('modulepreload').href, packed, integrity });
}

/** Checks every script and returns the text of the loader. */
function checkScripts(page) {
  const loaders = [];
  for (const { attributes, text } of tags(page, 'script')) {
    if ('src' in attributes) checkResource(attributes.src, attributes.integrity, true);
    else if (release ? isOurs(page, text) : trunksLoader.test(text)) loaders.push(text);
    else problems.push(`an inline script that is not the loader: ${excerpt(text)}`);
  }
  if (loaders.length !== 1) problems.push(`${loaders.length} loaders, where one is expected`);
  return loaders[0];
}

function checkLinks(page) {
  for (const { attributes } of tags(page, 'link')) {
    const runs = /\b(?:stylesheet|late|preload|modulepreload|rest|editor|pdf|answers)\b/.test(attributes.rel);
    checkResource(attributes.href, attributes.integrity, runs);
  }
}

/** A resource must be a file of ours, named relatively, and what can run must carry its hash. */
function checkResource(address, integrity, mustMatch) {
  if (!address || isAbsolute(address)) {
    problems.push(`not a relative address: ${address}`);
    return;
  }
  const file = join(stage, address.replace(/[?#].*$/, ''));
  if (!existsSync(file)) {
    problems.push(`no such file: ${address}`);
  } else if (mustMatch) {
    const [algorithm, digest] = (integrity ?? '').split(/-(.*)/s);
    if (!digest) problems.push(`no integrity hash: ${address}`);
    else if (hash(algorithm, readFileSync(file)) !== digest) problems.push(`a wrong integrity hash: ${address}`);
  }
}

/** What the policy would refuse, or what would tie the page to one address. */
function checkMarkup(page) {
  const anyTag = tags(page, '[a-z][\\w-]*');
  for (const { source, attributes } of anyTag) {
    const name = source.match(/^<([\w-]+)/)[1].toLowerCase();
    if (name === 'base' || name === 'style') problems.push(`a <${name}> element`);
    if (/content-security-policy/i.test(attributes['http-equiv'] ?? '')) problems.push('a policy that the build did not set');
    for (const [attribute, value] of Object.entries(attributes)) {
      if (/^on/.test(attribute) || attribute === 'style') problems.push(`an inline ${attribute}: ${excerpt(source)}`);
      if (/^(?:src|href|action|srcset|poster|data)$/.test(attribute) && isAbsolute(value)) {
        problems.push(`an absolute or foreign address: ${excerpt(source)}`);
      }
    }
  }
}

function checkStyles() {
  for (const name of readdirSync(stage).filter((each) => each.endsWith('.css'))) {
    const text = readFileSync(join(stage, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    const pattern = /(?:url\(\s*["']?|@import\s+["'])([^"')]*)/g;
    for (const [, address] of text.matchAll(pattern)) {
      if (isAbsolute(address) && !address.startsWith('data:')) problems.push(`${name} names an absolute address: ${address}`);
    }
  }
}

/** The version with the commit, or with a hash of the build where the work tree is not a commit. */
function buildName() {
  const version = readFileSync('Cargo.toml', 'utf8').match(/^version = "(.+)"/m)[1];
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    if (git('status', '--porcelain') === '') return `${version}+${git('rev-parse', '--short=10', 'HEAD')}`;
  } catch {
    // Not a git repository, or one without a commit.
  }
  const content = createHash('sha256');
  const files = readdirSync(stage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  for (const path of paths) content.update(path === pagePath ? withBuild(html, '') : readFileSync(path));
  return `${version}+content.${content.digest('hex').slice(0, 10)}`;
}

/** First in the head, since a policy holds only for what comes after it. */
function withPolicy(page, script) {
  return page.replace(/<head(?:\s[^>]*)?>/i, (head) => head + policyFor(script));
}

/** A finished page as it was before, so that it can be finished again. Another policy stays, and is found. */
function withoutPolicy(page) {
  return tags(page, 'script').reduce((rest, { text }) => rest.replace(policyFor(text), ''), page);
}

function policyFor(script) {
  const rules = { ...policy, 'script-src': `${policy['script-src']} 'sha256-${hash('sha256', script)}'` };
  const content = Object.entries(rules)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');
  return `\n    <meta http-equiv="Content-Security-Policy" content="${content}">`;
}

function withBuild(page, name) {
  return page.replace(/<html\b[^>]*>/i, (tag) => {
    const bare = tag.replace(/\s+data-build="[^"]*"/, '');
    return bare.replace(/>$/, ` data-build="${name}">`);
  });
}

function hash(algorithm, bytes) {
  return createHash(algorithm).update(bytes).digest('base64');
}

/** Names a file by its content. */
function shortHash(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** True of `https://…`, `//…` and `/…`: all but what is relative to the page. */
function isAbsolute(address) {
  return /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(address.trim());
}

function excerpt(text) {
  return JSON.stringify(text.trim().slice(0, 100));
}
