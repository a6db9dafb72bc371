import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samlMutations } from '../../test/hostile/saml-mutations.ts';
import { XML_SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { assertionXml, encoded, samlKey, signedXml } from '../testing/saml.ts';
import { samlAssertionVerifier } from './assertion-verifier.ts';

const SITE = {
  issuer: 'https://idp.example',
  audience: 'https://op.example.com',
  recipient: 'https://op.example.com/token',
  now: 1_800_000_000,
};

test('2,000 mutations of a signed assertion: what is accepted says what one of the originals says; nothing throws, nothing is printed', (context) => {
  // xmldom prints there what it cannot read. A sender of assertions must not be able to write to our log.
  const said = (['warn', 'error', 'log'] as const).map((level) => context.mock.method(console, level));
  const key = samlKey('ES256');
  const keys = { keys: [key.publicKey], algorithms: XML_SIGNING_ALGORITHMS };
  const verifier = samlAssertionVerifier();
  const good = signedXml(key, assertionXml(SITE, { id: '_good' }));
  const other = signedXml(
    key,
    assertionXml(SITE, { id: '_other', nameId: 'bob', audience: 'https://b.example' }),
  );
  const originals = new Map(
    [good, other].map((xml) => {
      const original = verifier.verify(encoded(xml), keys);
      assert.ok(original.verified);
      return [original.assertion.id, original.assertion];
    }),
  );
  assert.equal(originals.size, 2);
  let accepted = 0;
  for (const mutant of samlMutations(good, other, 2000, 7522)) {
    const verification = verifier.verify(encoded(mutant), keys);
    verifier.claimedIssuer(encoded(mutant));
    if (!verification.verified) continue;
    accepted += 1;
    assert.deepEqual(verification.assertion, originals.get(verification.assertion.id), mutant);
  }
  // Space in tags, and the like, which the canonical form does not have.
  context.diagnostic(`${accepted} of them have the canonical form of the original`);
  assert.ok(accepted > 0 && accepted < 200, String(accepted));
  for (const { mock } of said) assert.equal(mock.callCount(), 0);
});
