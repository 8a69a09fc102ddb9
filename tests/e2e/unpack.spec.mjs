// The loader's decoder alone, without a browser: on files that 7-Zip packed, and on damaged ones.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unpack } from '../../src/unpack.mjs';
import { DIST, test } from './harness.mjs';

const TEXT = 'The quick brown fox jumps over the lazy dog.\n'.repeat(40);

/** Bytes that nothing packs. */
function noise(length) {
  let seed = 1;
  return Buffer.from(Array.from({ length }, () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) >>> 16 & 255));
}

/** With matches near and far, long and short, and at distances used before. */
function mixed() {
  const block = noise(48);
  return Buffer.concat([block, Buffer.alloc(100_000), block, Buffer.from('abcabc'), Buffer.alloc(3_000, 7), block.subarray(5)]);
}

const SAMPLES = [
  { what: 'nothing', content: '', packed: 'BAAAAQAAAAAAAAAAAAAAAAAA' },
  { what: 'one byte', content: 'x', packed: 'BAAAAgABAAAAAAAAAAA7//wAAA==' },
  { what: 'noise', content: noise(48), packed: 'XQAAAgAwAAAAAAAAAABjH4wmslt2Pk7e6hYJ08SHJGC+/hUZmLNSyF9YqDcWS8BQsEj1DxRZsdBoPiDUx0a+WEClZlSVpg==' },
  { what: 'text', content: TEXT, packed: 'BAAAAgAIBwAAAAAAAAAqGtnUc4WcFg7T6JQAq2aEDluMHdli4SCEkXmtquGxA3C/s57Udmquicn32DT5Sd3NRysdUe9/zTNTGxAA' },
  { what: 'text, by position', content: TEXT, packed: 'xgAAAgAIBwAAAAAAAAAqGgiiA6ZM5FvKwuePR969vzHmAS8FROFH/SvqaEU6u9fPWaMcT7BKhNa1S/h7c1d4IdkZ0mQodhdr7AYKggA=' },
  { what: 'all kinds of matches', content: mixed(), packed: 'HAAAAgDpkgEAAAAAAABjIImu5kzRm7dleiaFi3BQMnJ0nGBYBNvmzz5nNXdt1nLEsBlKVvocHm2G4AA6LWMJmJeJK2wE2mcJKdGpGa6WcR+/t0hvai8bEV5C05f07/GFKCi7EE1musrzE4+NEKasMSHcbWqWpxv4cXhZ+AXA82mqSy8iBdGX8dIyD1USnez2RifdKvS+WzW8iiG0jTkECBHacXVMVwArS8N71nsinP6K1lYpId/E/295qymAAA==' },
].map(({ packed, ...sample }) => ({ ...sample, packed: new Uint8Array(Buffer.from(packed, 'base64')) }));

const appsModule = async () => {
  const name = (await readdir(DIST)).find((each) => each.endsWith('.wasm.lzma'));
  return new Uint8Array(await readFile(join(DIST, name)));
};

const refusal = /^Error: (?:the packed file is (?:cut off|damaged)|not a packed file, or a damaged one)$/;

for (const { what, content, packed } of SAMPLES) {
  test(`unpacks ${what}`, () => assert.ok(Buffer.from(content).equals(unpack(packed))));

  test(`refuses ${what} cut off or with more behind it`, () => {
    for (let length = 0; length < packed.length; length += 1) assert.throws(() => unpack(packed.slice(0, length)), refusal);
    assert.throws(() => unpack(Uint8Array.of(...packed, 0)), refusal);
  });
}

test('unpacks the module, again and again, to WebAssembly', async () => {
  const packed = await appsModule();
  const first = unpack(packed);
  assert.ok(WebAssembly.validate(first));
  assert.ok(Buffer.from(first).equals(unpack(packed)));
});

test('refuses a damaged module', async () => {
  const packed = await appsModule();
  for (const share of [0, 0.1, 0.5, 0.9, 0.999]) {
    assert.throws(() => unpack(packed.slice(0, packed.length * share)), refusal);
    const wrong = packed.slice();
    wrong[Math.floor(packed.length * share)] ^= 0x80;
    assert.throws(() => unpack(wrong), refusal);
  }
});

test('refuses what is no packed file', () => {
  assert.throws(() => unpack(new TextEncoder().encode('<!doctype html><title>Not found</title>')), refusal);
  assert.throws(() => unpack(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...noise(100))), refusal);
});
