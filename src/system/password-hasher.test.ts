import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TooManyRequests } from '../spec/errors.ts';
import { argon2PasswordHasher } from './password-hasher.ts';
import { systemRandom } from './random.ts';

/** As little work as Argon2 allows: what is tested is not how slow it is. */
const parameters = { memoryKib: 8, passes: 1, lanes: 1 };
const hasher = argon2PasswordHasher({ parameters, concurrency: 2, waitingMax: 64 }, systemRandom);

test('a hash is a PHC string of Argon2id with its parameters and a salt of its own (RFC 9106)', async () => {
  const [one, two] = [await hasher.hash('correct horse'), await hasher.hash('correct horse')];
  assert.match(one, /^\$argon2id\$v=19\$m=8,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await hasher.verify('correct horse', one), true);
  assert.equal(await hasher.verify('correct horse', two), true);
  assert.equal(await hasher.verify('correct horsf', one), false);
  assert.equal(await hasher.verify('', one), false);
});

/** A vector of the reference implementation: salt `somesalt`, password `password`. */
const FROM_THE_REFERENCE =
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

test('a hash of the reference implementation is verified', async () => {
  assert.equal(await hasher.verify('password', FROM_THE_REFERENCE), true);
  assert.equal(await hasher.verify('passwort', FROM_THE_REFERENCE), false);
});

test('a hash made with other parameters is outdated; one made with these is not', async () => {
  assert.equal(hasher.isOutdated(FROM_THE_REFERENCE), true);
  assert.equal(hasher.isOutdated('$2b$10$something'), true);
  assert.equal(hasher.isOutdated(await hasher.hash('a')), false);
});

const REFUSED: readonly (readonly [string, string | null])[] = [
  ['no hash', null],
  ['nothing', ''],
  ['another function', '$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$c29tZXRhZ3NvbWV0YWc'],
  ['no passes', '$argon2id$v=19$m=8,t=0,p=1$c29tZXNhbHQ$c29tZXRhZ3NvbWV0YWc'],
  ['less memory than its lanes need', '$argon2id$v=19$m=8,t=1,p=2$c29tZXNhbHQ$c29tZXRhZ3NvbWV0YWc'],
  ['more memory than any machine', '$argon2id$v=19$m=9999999,t=1,p=1$c29tZXNhbHQ$c29tZXRhZ3NvbWV0YWc'],
  [
    'a tag of zeros, which stands for no password',
    `$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$${'A'.repeat(43)}`,
  ],
];

for (const [what, hash] of REFUSED) {
  test(`${what} verifies no password`, async () => {
    assert.equal(await hasher.verify('', hash), false);
  });
}

test('hashes beyond the queue are refused with a time to retry; the others are served', async () => {
  const busy = argon2PasswordHasher({ parameters, concurrency: 1, waitingMax: 2 }, systemRandom);
  const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((text) => busy.hash(text)));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof TooManyRequests);
  }
  assert.equal(await busy.verify('f', await busy.hash('f')), true, 'its turns were given back');
});

test('hashing leaves the event loop free for other work', async () => {
  let turnsPassed = 0;
  let done = false;
  const turn = (): void => {
    turnsPassed += 1;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  await argon2PasswordHasher(
    { parameters: { memoryKib: 19_456, passes: 2, lanes: 1 }, concurrency: 1, waitingMax: 0 },
    systemRandom,
  ).hash('correct horse');
  done = true;
  assert.ok(turnsPassed > 10, `${turnsPassed} turns`);
});
