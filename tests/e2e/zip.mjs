// Zip archives for tests, made and read in the plainest way and by nothing of the app's own.

import assert from 'node:assert/strict';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** A zip of these files; a name that ends with a slash is a folder. */
export function zip(files) {
  const parts = [];
  const list = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    list.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, tail, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(list.length, 8);
  end.writeUInt16LE(list.length, 10);
  end.writeUInt32LE(Buffer.concat(list).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...list, end]);
}

/** What is in a zip, by its list. */
export function unzip(bytes) {
  const files = {};
  let at = bytes.readUInt32LE(bytes.length - 6);
  for (let n = bytes.readUInt16LE(bytes.length - 12); n > 0; n -= 1) {
    const [method, packed, name, extra, note, local] = [
      bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32), bytes.readUInt32LE(at + 42),
    ];
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = bytes.subarray(start, start + packed);
    const inflated = method === 8 ? inflateRawSync(content) : Buffer.from(content);
    assert.equal(crc32(inflated), bytes.readUInt32LE(at + 16));
    files[bytes.toString('utf8', at + 46, at + 46 + name)] = inflated;
    at += 46 + name + extra + note;
  }
  return files;
}
