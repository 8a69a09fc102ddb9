// Unpacks the app's module, which the build packs with LZMA (scripts/pack.mjs): in a browser that
// is smaller by a quarter than what a static host makes of it with gzip.
//
// The format is `.lzma`, which `xz` and 7-Zip read too: a head of 13 bytes (parameters, size of the
// window, length of the content), then one stream of bits. Each bit is coded with a probability that
// adapts to the bits before it in the same place. The bits make up a byte as it is (a literal), or
// "so many bytes from so far back" (a match), where the far may be one of the last four used.
//
// The decoder's state is in typed arrays and small functions, which engines compile soonest:
// half of the time would otherwise go before the fast code exists.

/** Numbers of bits of literal context and of position the probabilities have room for. */
const MAX_CONTEXT = 4;
/** No module of ours is larger; a damaged head must not ask for more memory than there is. */
const MAX_LENGTH = 1 << 28;

// Where each group of probabilities begins. Groups "by position" have 16 of a kind.
const IS_MATCH = 0; // by the state (12) and position
const IS_REPEAT = 192; // by the state, as the three after it: 0 when a match names a new distance
const IS_OTHER = 204; // 0 for the latest distance
const IS_OLDER = 216; // 0 for the one before it
const IS_OLDEST = 228;
const IS_LONG = 240; // by the state and position: 0 for one byte from the latest distance
const SLOT = 432; // four trees of 64, by length
const SPECIAL = 688; // the lower bits of middle distances
const ALIGN = 802; // the four lowest bits of large ones
const LENGTH = 818; // of a match
const REPEAT_LENGTH = 1332; // of a match at a distance used before
const LITERAL = 1846; // 768 for each context

const probabilities = new Uint16Array(LITERAL + (768 << MAX_CONTEXT));
/** The range that is left, and where in it the coded number lies; both without sign. */
const coder = new Int32Array(2);
let packed;
let at;

/** The next bit, by the probability at `index`, which it adapts. */
function bit(index) {
  const probability = probabilities[index];
  const bound = Math.imul(coder[0] >>> 11, probability);
  let range = bound;
  let one = 0;
  if (coder[1] >>> 0 < bound >>> 0) {
    probabilities[index] = probability + ((2048 - probability) >> 5);
  } else {
    one = 1;
    range = (coder[0] - bound) | 0;
    coder[1] -= bound;
    probabilities[index] = probability - (probability >> 5);
  }
  // Less than 24 bits are left: take in another byte. Beyond the end it counts as 0.
  if ((range & 0xff000000) === 0) {
    range <<= 8;
    coder[1] = (coder[1] << 8) | packed[at++];
  }
  coder[0] = range;
  return one;
}

/** A number of `bits` bits, the highest first, each by all before it. */
function number(index, bits) {
  let found = 1;
  for (let n = bits; n > 0; n -= 1) found = (found << 1) | bit(index + found);
  return found - (1 << bits);
}

/** The same, with the lowest first. */
function reversed(index, bits) {
  let node = 1;
  let found = 0;
  for (let n = 0; n < bits; n += 1) {
    const one = bit(index + node);
    node = (node << 1) | one;
    found |= one << n;
  }
  return found;
}

/** Bits without a probability: each halves the range. */
function direct(bits) {
  let found = 0;
  for (let n = bits; n > 0; n -= 1) {
    let range = coder[0] >>> 1;
    const one = coder[1] >>> 0 < range ? 0 : 1;
    if (one) coder[1] -= range;
    found = (found << 1) | one;
    if ((range & 0xff000000) === 0) {
      range <<= 8;
      coder[1] = (coder[1] << 8) | packed[at++];
    }
    coder[0] = range;
  }
  return found;
}

/** A byte. After a match `differs` is 256 and the bits are told by those of the byte that would
 * have come next in it, until one differs; else it is 0. */
function literal(index, differs, expected) {
  let found = 1;
  let mask = differs;
  let like = expected;
  do {
    like <<= 1;
    const told = like & mask;
    const one = bit(index + mask + told + found);
    found = (found << 1) | one;
    mask &= one ? told : ~told;
  } while (found < 256);
  return found;
}

/** How many bytes a match has, less the two that each has. */
function matchLength(index, position) {
  if (bit(index) === 0) return number(index + 2 + (position << 3), 3);
  if (bit(index + 1) === 0) return 8 + number(index + 130 + (position << 3), 3);
  return 16 + number(index + 258, 8);
}

/** How far back a match begins, less one. */
function matchDistance(length) {
  const slot = number(SLOT + (Math.min(length, 3) << 6), 6);
  if (slot < 4) return slot;
  const bits = (slot >> 1) - 1;
  const high = (2 | (slot & 1)) << bits;
  if (slot < 14) return high + reversed(SPECIAL + high - slot, bits);
  return (high + (direct(bits - 4) << 4) + reversed(ALIGN, 4)) | 0;
}

/** The content of a packed file. Throws where it is cut off, damaged, or not of this format. */
export function unpack(file) {
  if (file.length < 18) throw new Error('the packed file is cut off');
  const head = new DataView(file.buffer, file.byteOffset, 18);
  const literalBits = file[0] % 9;
  const literalPositionBits = Math.floor(file[0] / 9) % 5;
  const positionBits = Math.floor(file[0] / 45);
  const size = head.getUint32(5, true);
  if (literalBits + literalPositionBits > MAX_CONTEXT || positionBits > 4 || size > MAX_LENGTH || head.getUint32(9) !== 0 || file[13] !== 0) {
    throw new Error('not a packed file, or a damaged one');
  }

  const content = new Uint8Array(size);
  probabilities.fill(1024);
  packed = file;
  coder[0] = -1;
  coder[1] = head.getInt32(14);
  at = 18;

  const positionMask = (1 << positionBits) - 1;
  const literalMask = (1 << literalPositionBits) - 1;
  const literalShift = 8 - literalBits;
  /** What the last steps were: below 7 the last was a literal. */
  let state = 0;
  // The last four distances, each less one.
  let latest = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let done = 0;

  while (done < size && at <= file.length) {
    const position = done & positionMask;
    if (bit(IS_MATCH + (state << 4) + position) === 0) {
      const before = done > 0 ? content[done - 1] : 0;
      const index = LITERAL + 768 * (((done & literalMask) << literalBits) + (before >> literalShift));
      content[done] = state < 7 ? literal(index, 0, 0) : literal(index, 256, content[done - latest - 1]);
      done += 1;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }

    let length;
    if (bit(IS_REPEAT + state) === 0) {
      fourth = third;
      third = second;
      second = latest;
      length = matchLength(LENGTH, position);
      latest = matchDistance(length);
      length += 2;
      state = state < 7 ? 7 : 10;
    } else {
      let single = false;
      if (bit(IS_OTHER + state) === 0) {
        single = bit(IS_LONG + (state << 4) + position) === 0;
      } else {
        let distance = second;
        if (bit(IS_OLDER + state) === 1) {
          distance = third;
          if (bit(IS_OLDEST + state) === 1) {
            distance = fourth;
            fourth = third;
          }
          third = second;
        }
        second = latest;
        latest = distance;
      }
      length = single ? 1 : matchLength(REPEAT_LENGTH, position) + 2;
      state = state < 7 ? (single ? 9 : 8) : 11;
    }
    if (latest >>> 0 >= done || length > size - done) throw new Error('the packed file is damaged');
    for (const end = done + length; done < end; done += 1) content[done] = content[done - latest - 1];
  }

  if (at > file.length) throw new Error('the packed file is cut off');
  // The coder ends at nought, with every byte used.
  if (at < file.length || coder[1] !== 0) throw new Error('the packed file is damaged');
  return content;
}
