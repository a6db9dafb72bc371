import { argon2, timingSafeEqual } from 'node:crypto';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Random } from '../ports/random.ts';
import { TooManyRequests } from '../spec/errors.ts';

/** RFC 9106 §3.1. */
export interface Argon2Parameters {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
}

export interface PasswordHasherOptions {
  readonly parameters: Argon2Parameters;
  /** Hashes that run at a time. Each takes its memory and one of the process's four pool threads, which file access needs too. */
  readonly concurrency: number;
  /** Hashes that may wait besides. */
  readonly waitingMax: number;
}

interface PhcString {
  readonly parameters: Argon2Parameters;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** RFC 9106 §3.1: "16 bytes is RECOMMENDED for password hashing"; §4 uses a tag of 256 bits. */
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Argon2 1.3 (0x13), the version of RFC 9106. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;
/** A limit for stored hashes: this program never makes one that needs more, and verifying it would exhaust memory. */
const MEMORY_KIB_MAX = 1_048_576;
const RETRY_AFTER_SECONDS = 1;

/** Hashes with Argon2id (RFC 9106) on the thread pool. Rejects with TooManyRequests if the queue is full. */
export function argon2PasswordHasher(options: PasswordHasherOptions, random: Random): PasswordHasher {
  const inTurn = turns(options.concurrency, options.waitingMax);
  const { parameters } = options;
  const noPassword = {
    parameters,
    salt: Buffer.from(random.bytes(SALT_BYTES)),
    tag: Buffer.alloc(TAG_BYTES),
  };

  return {
    async hash(password) {
      const salt = Buffer.from(random.bytes(SALT_BYTES));
      const tag = await inTurn(() => derive(password, salt, parameters, TAG_BYTES));
      return phcString({ parameters, salt, tag });
    },
    async verify(password, hash) {
      const stored = hash === null ? undefined : parsePhcString(hash);
      const expected = stored ?? noPassword;
      const tag = await inTurn(() =>
        derive(password, expected.salt, expected.parameters, expected.tag.length),
      );
      return timingSafeEqual(tag, expected.tag) && stored !== undefined;
    },
    isOutdated(hash) {
      const stored = parsePhcString(hash);
      return stored === undefined || phcString({ ...stored, parameters }) !== hash;
    },
  };
}

function derive(
  password: string,
  salt: Buffer,
  { memoryKib, passes, lanes }: Argon2Parameters,
  tagLength: number,
): Promise<Buffer> {
  const parameters = {
    message: password,
    nonce: salt,
    parallelism: lanes,
    tagLength,
    memory: memoryKib,
    passes,
  };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (failure, tag) => (failure === null ? resolve(tag) : reject(failure)));
  });
}

function phcString({ parameters: { memoryKib, passes, lanes }, salt, tag }: PhcString): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(tag)}`;
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

function parsePhcString(text: string): PhcString | undefined {
  const [, memory = '', passes = '', lanes = '', salt = '', tag = ''] = PHC.exec(text) ?? [];
  const parameters = { memoryKib: Number(memory), passes: Number(passes), lanes: Number(lanes) };
  // RFC 9106 §3.1: "m ... an integer number of kibibytes from 8*p to 2^(32)-1".
  if (parameters.lanes < 1 || parameters.passes < 1) return undefined;
  if (parameters.memoryKib < 8 * parameters.lanes || parameters.memoryKib > MEMORY_KIB_MAX) return undefined;
  return { parameters, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/** Runs at most `concurrency` functions at a time, in the order of the calls. */
function turns(concurrency: number, waitingMax: number): <T>(act: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return async (act) => {
    if (running < concurrency) running += 1;
    else if (waiting.length >= waitingMax)
      throw new TooManyRequests(RETRY_AFTER_SECONDS, 'password.concurrency');
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await act();
    } finally {
      leave();
    }
  };
}
