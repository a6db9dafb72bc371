import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SealBroken } from '../ports/sealer.ts';
import type { Sealed } from '../spec/identifiers.ts';
import { sealerForTenant, sealerWith } from './sealer.ts';

const [A, B, C] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

test('a sealed text opens unchanged at its place (decision 16)', () => {
  const sealer = sealerWith([A]);
  for (const text of ['', 'secret', 'ü€🦊', '\u0000', 'x'.repeat(100_000)]) {
    assert.equal(sealer.open(sealer.seal(text, 'place'), 'place'), text);
  }
});

test('one text sealed twice gives two ciphertexts, and neither contains it', () => {
  const sealer = sealerWith([A]);
  const sealed = Array.from({ length: 100 }, () => sealer.seal('secret', 'place'));
  assert.equal(new Set(sealed).size, 100);
  assert.equal(
    sealed.some((each) => Buffer.from(each.split('.')[1] ?? '', 'base64url').includes('secret')),
    false,
  );
});

test('a text sealed for one place does not open at another (decision 16: associated data)', () => {
  const sealer = sealerWith([A]);
  const sealed = sealer.seal('secret', 'client 1');
  for (const place of ['client 2', '', 'client 1 ', 'Client 1']) {
    assert.throws(() => sealer.open(sealed, place), SealBroken);
  }
});

test('a ciphertext with any changed character does not open', () => {
  const sealer = sealerWith([A]);
  const sealed = sealer.seal('secret', 'place');
  for (let at = 0; at < sealed.length; at += 1) {
    const other = sealed[at] === 'A' ? 'Q' : 'A';
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    assert.throws(() => sealer.open(changed as Sealed, 'place'), SealBroken, `character ${at}`);
  }
});

for (const junk of ['', '.', 'x', 'x.y', '4b12b3e4.', '4b12b3e4.AAAA']) {
  test(`opening "${junk}" throws SealBroken`, () => {
    assert.throws(() => sealerWith([A]).open(junk as Sealed, 'place'), SealBroken);
  });
}

test('a cut-off tag does not open (SP 800-38D: short tags are weak)', () => {
  const sealer = sealerWith([A]);
  const [name, encoded = ''] = sealer.seal('secret', 'place').split('.');
  const bytes = Buffer.from(encoded, 'base64url');
  for (const length of [0, 4, 12, 16, 27, bytes.length - 1]) {
    const cut = `${name}.${bytes.subarray(0, length).toString('base64url')}` as Sealed;
    assert.throws(() => sealer.open(cut, 'place'), SealBroken, `${length} bytes`);
  }
});

test('a ring seals with its first key, opens with each key, and tells whether a text has the first key', () => {
  const old = sealerWith([A]);
  const ring = sealerWith([B, A]);
  const sealed = old.seal('secret', 'place');
  assert.equal(ring.open(sealed, 'place'), 'secret');
  assert.equal(ring.isCurrent(sealed), false);
  const fresh = ring.seal('secret', 'place');
  assert.equal(ring.isCurrent(fresh), true);
  assert.equal(sealerWith([B]).open(fresh, 'place'), 'secret');
  assert.throws(() => old.open(fresh, 'place'), SealBroken);
  assert.throws(() => sealerWith([C]).open(sealed, 'place'), SealBroken);
});

test('sealerWith throws for a key of another length than 32 bytes and for an empty ring', () => {
  assert.throws(() => sealerWith([]), TypeError);
  assert.throws(() => sealerWith([new Uint8Array(16)]), TypeError);
  assert.throws(() => sealerWith([A, new Uint8Array(31)]), TypeError);
});

test('a text sealed for one tenant does not open for another, however the names are cut (decision 38)', () => {
  const sealer = sealerWith([A]);
  const [one, other] = [sealerForTenant(sealer, 'a'), sealerForTenant(sealer, 'b')];
  const sealed = one.seal('secret', 'place');
  assert.equal(one.open(sealed, 'place'), 'secret');
  assert.equal(one.isCurrent(sealed), true);
  assert.throws(() => other.open(sealed, 'place'), SealBroken);
  assert.throws(() => sealer.open(sealed, 'place'), SealBroken);
  const cut = sealerForTenant(sealer, 'a","p').seal('secret', 'lace');
  assert.throws(() => sealerForTenant(sealer, 'a').open(cut, 'p","lace'), SealBroken);
});

test('the message of a broken seal contains no part of the sealed text', () => {
  const sealer = sealerWith([A]);
  const sealed = sealer.seal('secret', 'place');
  assert.throws(
    () => sealer.open(sealed, 'elsewhere'),
    (failure: Error) => failure instanceof SealBroken && !failure.message.includes('secret'),
  );
});
