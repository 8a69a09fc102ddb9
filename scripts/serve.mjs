// A small server of static files: `make run` and the end-to-end tests use it.
//   node scripts/serve.mjs [--dir dist] [--port 8080] [--base /a/sub/path/]
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, extname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const types = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.lzma': 'application/x-lzma',
  '.md': 'text/plain; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const distPath = fileURLToPath(new URL('../dist', import.meta.url));

/**
 * Serves a folder on this machine only. Port 0 takes any free one.
 * @returns {Promise<{url: string, port: number, close: () => Promise<void>}>}
 */
export async function serve({ dir = distPath, port = 0, base = '/' } = {}) {
  const root = await realpath(dir);
  const prefix = `/${base}/`.replace(/\/+/g, '/');
  const server = createServer((request, response) => {
    answer(root, prefix, request, response).catch(() => refuse(response, 500, 'Something failed.'));
  });
  await new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', done);
  });
  const taken = server.address().port;
  return {
    url: `http://localhost:${taken}${prefix}`,
    port: taken,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function answer(root, prefix, request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'Only GET and HEAD.');
  const path = decodedPath(request.url);
  if (path === null) return refuse(response, 400, 'Not a path.');
  // Without its slash at the end, the page's relative addresses would miss the folder.
  if (`${path}/` === prefix) {
    response.writeHead(301, { location: prefix }).end();
    return;
  }
  const file = path.startsWith(prefix) ? await fileInside(root, path.slice(prefix.length)) : null;
  if (!file) return refuse(response, 404, 'Not found.');
  const headers = {
    'content-type': types[extname(file.path)] ?? 'application/octet-stream',
    'content-length': file.size,
    // A name with a hash never changes its content; any other is asked for anew.
    'cache-control': /-[\da-f]{12,}[._]/.test(basename(file.path)) ? 'public, max-age=31536000, immutable' : 'no-store',
    'x-content-type-options': 'nosniff',
  };
  response.writeHead(200, headers);
  if (request.method === 'HEAD') return response.end();
  createReadStream(file.path).on('error', () => response.destroy()).pipe(response);
}

/** The path of a request target, or null where it is none. */
function decodedPath(target) {
  try {
    const path = decodeURIComponent(target.replace(/[?#].*$/, ''));
    return path.startsWith('/') && !path.includes('\0') ? path : null;
  } catch {
    return null;
  }
}

/** The file at a path below `root`, or null: also for one that leads out of it by `..` or a link. */
async function fileInside(root, relative) {
  const inside = (path) => path === root || path.startsWith(root + sep);
  try {
    const asked = resolve(root, `./${relative}`);
    if (!inside(asked)) return null;
    let path = await realpath(asked);
    let info = await stat(path);
    // A folder is asked for with a slash at the end, a file without one.
    if (info.isDirectory() !== (relative === '' || relative.endsWith('/'))) return null;
    if (info.isDirectory()) {
      path = await realpath(join(path, 'index.html'));
      info = await stat(path);
    }
    return inside(path) && info.isFile() ? { path, size: info.size } : null;
  } catch {
    return null;
  }
}

function refuse(response, status, text) {
  if (response.headersSent) return response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

async function main() {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string', default: distPath },
      port: { type: 'string', default: '8080' },
      base: { type: 'string', default: '/' },
      // Only looks whether the port is free, before a long build.
      check: { type: 'boolean', default: false },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    console.error(`${values.port} is not a port.`);
    process.exit(2);
  }
  try {
    const server = await serve({ dir: values.check ? '.' : values.dir, port, base: values.base });
    if (values.check) return server.close();
    console.log(`\n    Tabloop is at ${server.url}\n    Stop it with Ctrl-C.\n`);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close().then(() => process.exit(0)));
  } catch (error) {
    const reasons = {
      EADDRINUSE: `Port ${port} is taken by another program. Stop it, or take another port: make run PORT=8081`,
      EACCES: `Port ${port} may not be opened by this user. Take one above 1024: make run PORT=8081`,
      ENOENT: `There is no ${values.dir} yet. Build it first: make build`,
    };
    console.error(reasons[error.code] ?? `The server could not start: ${error.message}`);
    process.exit(1);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
