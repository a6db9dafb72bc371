import { randomFillSync } from 'node:crypto';
import type { Random } from '../ports/random.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** 62 × 4: bytes from here on would make some characters likelier than others. */
const UNBIASED_BELOW = 248;

/** One call of the operating system for many bytes: a call each costs more than everything else here. */
const pool = new Uint8Array(4096);
let used = pool.length;

function nextByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  // What was given out is not kept.
  pool[used] = 0;
  used += 1;
  return byte;
}

export const systemRandom: Random = {
  alphanumeric(length) {
    let text = '';
    while (text.length < length) {
      const byte = nextByte();
      if (byte < UNBIASED_BELOW) text += ALPHABET[byte % ALPHABET.length];
    }
    return text;
  },
  bytes(count) {
    const bytes = new Uint8Array(count);
    for (let index = 0; index < count; index += 1) bytes[index] = nextByte();
    return bytes;
  },
};
