// Trunk's last step: turns the page it wrote into the page that is served. Sets the content
// security policy and the build's name, and fails the build when the page would need more than
// the policy allows, since a browser would only refuse it quietly.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tags } from './page.mjs';

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
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** Trunk's loader and nothing else. It stands inline, so the policy has to name its hash. */
const loaderPattern = new RegExp(
  [
    /^\s*import init(?:, \* as bindings)? from '\.\/[\w.-]+\.js';/,
    /\s*const wasm = await init\(\{ module_or_path: '\.\/[\w.-]+\.wasm' \}\);/,
    /\s*(?:window\.\w+ = bindings;)?/,
    /\s*dispatchEvent\(new CustomEvent\("TrunkApplicationStarted", \{detail: \{wasm\}\}\)\);\s*$/,
  ]
    .map((part) => part.source)
    .join(''),
);

const problems = [];
const html = readFileSync(pagePath, 'utf8');
const loader = checkScripts(html);
checkLinks(html);
checkMarkup(html);
checkStyles();
if (release) checkOptimised();

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

/** Checks every script and returns the text of the loader. */
function checkScripts(page) {
  const loaders = [];
  for (const { attributes, text } of tags(page, 'script')) {
    if ('src' in attributes) checkResource(attributes.src, attributes.integrity, true);
    else if (loaderPattern.test(text)) loaders.push(text);
    else problems.push(`an inline script that is not trunk's loader: ${excerpt(text)}`);
  }
  if (loaders.length !== 1) problems.push(`${loaders.length} loaders of trunk's, where one is expected`);
  return loaders[0];
}

function checkLinks(page) {
  for (const { attributes } of tags(page, 'link')) {
    const runs = /\b(?:stylesheet|preload|modulepreload)\b/.test(attributes.rel);
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

/** wasm-opt drops the section of function names, which wasm-bindgen leaves in. */
function checkOptimised() {
  for (const name of readdirSync(stage).filter((each) => each.endsWith('.wasm'))) {
    const sections = WebAssembly.Module.customSections(new WebAssembly.Module(readFileSync(join(stage, name))), 'name');
    if (sections.length > 0) problems.push(`wasm-opt did not run on ${name}`);
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
  for (const path of paths) content.update(readFileSync(path));
  return `${version}+content.${content.digest('hex').slice(0, 10)}`;
}

/** First in the head, since a policy holds only for what comes after it. */
function withPolicy(page, script) {
  const rules = { ...policy, 'script-src': `${policy['script-src']} 'sha256-${hash('sha256', script)}'` };
  const content = Object.entries(rules)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');
  return page.replace(/<head(?:\s[^>]*)?>/i, (head) => `${head}\n    <meta http-equiv="Content-Security-Policy" content="${content}">`);
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

/** True of `https://…`, `//…` and `/…`: all but what is relative to the page. */
function isAbsolute(address) {
  return /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(address.trim());
}

function excerpt(text) {
  return JSON.stringify(text.trim().slice(0, 100));
}
