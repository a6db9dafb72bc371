import { randomFillSync } from 'node:crypto';
import type { Random } from '../ports/random.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** 62 × 4. A byte from here on would make some characters more likely than others. */
const UNBIASED_BELOW = 248;

/** Filled with one system call for many bytes: a call per identifier would dominate its cost. */
const pool = new Uint8Array(4096);
let used = pool.length;

function nextByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  // A byte that was handed out must not stay in memory.
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
