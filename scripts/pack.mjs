// Packs a file as `.lzma`, which the page unpacks itself (src/unpack.mjs). The packing is 7-Zip's,
// compiled to WebAssembly: it needs nothing of the machine, and the same input gives the same output.
import { createRequire } from 'node:module';

/** More context of the byte before and none of the position suits WebAssembly best: 0.3 % less. */
const LITERAL_BITS = 4;

/** @param {Uint8Array} content */
export async function pack(content) {
  const window = Math.max(16, Math.ceil(Math.log2(content.length)));
  const stream = await lzma(content, window);
  const head = Buffer.alloc(13);
  head[0] = LITERAL_BITS;
  head.writeUInt32LE(2 ** window, 1);
  head.writeBigUInt64LE(BigInt(content.length), 5);
  return Buffer.concat([head, stream]);
}

/** 7-Zip writes no `.lzma`, but the one stream of an archive of its own is all that follows the head. */
async function lzma(content, window) {
  const printed = [];
  const sevenZip = await load()({ print: () => {}, printErr: (line) => printed.push(line) });
  sevenZip.FS.writeFile('content', content);
  const method = `-m0=lzma:d=${window}:fb=273:mf=bt4:mc=10000:lc=${LITERAL_BITS}:lp=0:pb=0`;
  sevenZip.callMain(['a', '-t7z', '-mx=9', '-mhc=off', '-mmt=1', method, 'packed.7z', 'content']);
  if (printed.length > 0) throw new Error(`7-Zip failed: ${printed.join('\n')}`);
  const archive = Buffer.from(sevenZip.FS.readFile('packed.7z'));
  // The archive's head is 32 bytes; at 12 it tells how long the packed stream behind it is.
  return archive.subarray(32, 32 + Number(archive.readBigUInt64LE(12)));
}

function load() {
  const folder = process.env.TABLOOP_7Z;
  if (!folder) throw new Error('7-Zip is not set up: build with `make build`');
  return createRequire(import.meta.url)(`${folder}/node_modules/7z-wasm`);
}
