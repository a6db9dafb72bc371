import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW, type TestEntity, TestFederation, testEntity } from '../../testing/federation.ts';
import { signedJwt } from '../../testing/jwt.ts';

const RP = testEntity('https://rp.example');
const ANCHOR = testEntity('https://anchor.example');
const ISSUER = testEntity('https://marks.example');
const OWNER = testEntity('https://owner.example');
const STRANGER = testEntity('https://stranger.example');
const TYPE = 'https://anchor.example/marks/audited';

interface Mark {
  readonly claims?: object;
  readonly header?: object;
  readonly by?: TestEntity;
}

function mark({ claims = {}, header = {}, by = ISSUER }: Mark = {}): string {
  const usual = { iss: by.id, sub: RP.id, trust_mark_type: TYPE, iat: NOW - 10 };
  return signedJwt(by.key, { ...usual, ...claims }, { typ: 'trust-mark+jwt', ...header });
}

function delegation(claims: object = {}, by = OWNER, typ = 'trust-mark-delegation+jwt'): string {
  const usual = { iss: OWNER.id, sub: ISSUER.id, trust_mark_type: TYPE, iat: NOW - 10 };
  return signedJwt(by.key, { ...usual, ...claims }, { typ });
}

const OWNED = { trust_mark_owners: { [TYPE]: { sub: OWNER.id, jwks: { keys: [OWNER.key.jwk] } } } };

/** Returns the reason code for a relying party with these marks, where a mark of `TYPE` is required. */
async function asked(
  marks: readonly string[],
  anchor: object = { trust_mark_issuers: { [TYPE]: [ISSUER.id] } },
  issuers: readonly TestEntity[] = [ISSUER],
): Promise<string | undefined> {
  const federation = new TestFederation();
  const trust_marks = marks.map((trust_mark) => ({
    trust_mark_type: JSON.parse(Buffer.from(trust_mark.split('.')[1] ?? '', 'base64url').toString())
      .trust_mark_type,
    trust_mark,
  }));
  federation.join(RP, [ANCHOR], marks.length === 0 ? {} : { trust_marks });
  for (const issuer of issuers) federation.join(issuer, [ANCHOR]);
  federation.join(ANCHOR, [], anchor);
  const { chain, reason } = await federation.resolve(RP, [ANCHOR], { requiredTrustMarks: [TYPE] });
  assert.equal(chain === undefined, reason !== undefined);
  return reason?.code;
}

// proves openid-federation-7.3-1
test('a mark of the required type is valid if the anchor lists its issuer and a chain leads to the anchor (§7.3)', async () => {
  assert.equal(await asked([mark()]), undefined);
  assert.equal(await asked([mark({ claims: { exp: NOW + 1 } })]), undefined);
});

// proves openid-federation-7.3-2
test('a subject without a mark of the required type has no chain (§7)', async () => {
  assert.equal(await asked([]), 'trust_mark_absent');
  assert.equal(
    await asked([mark({ claims: { trust_mark_type: 'https://anchor.example/other' } })]),
    'trust_mark_absent',
  );
});

// proves openid-federation-7.3-2
test('one valid mark beside invalid marks is enough (H-215)', async () => {
  assert.equal(await asked([mark({ claims: { exp: NOW } }), mark()]), undefined);
});

const ROWS: readonly (readonly [name: string, mark: Mark])[] = [
  ['typ (2)', { header: { typ: 'JWT' } }],
  ['no typ (2)', { header: { typ: undefined } }],
  ['alg none (3)', { header: { alg: 'none' } }],
  ['no kid (3)', { header: { kid: undefined } }],
  ['another subject (4)', { claims: { sub: STRANGER.id } }],
  ['iat in the future (5)', { claims: { iat: NOW + 61 } }],
  ['no iat (5)', { claims: { iat: undefined } }],
  ['exp past (6)', { claims: { exp: NOW } }],
  [
    'the key of another entity (7)',
    { by: STRANGER, claims: { iss: ISSUER.id }, header: { kid: ISSUER.key.kid } },
  ],
  ['an issuer that the anchor does not name', { by: STRANGER }],
  ['a delegation of a type without an owner (9)', { claims: { delegation: delegation() } }],
];
for (const [name, given] of ROWS) {
  // proves openid-federation-7.3-1
  test(`a required mark with ${name} is invalid (§7.3)`, async () => {
    assert.equal(await asked([mark(given)]), 'trust_mark_invalid');
  });
}

// proves openid-federation-7.3-1
test('an empty list of issuers accepts every issuer with a chain to the anchor, and an unlisted type accepts none (§3.1.2, §7.3)', async () => {
  const anyone = { trust_mark_issuers: { [TYPE]: [] } };
  assert.equal(await asked([mark({ by: STRANGER })], anyone, [STRANGER]), undefined);
  assert.equal(await asked([mark({ by: STRANGER })], anyone, []), 'trust_mark_invalid');
  assert.equal(await asked([mark({ by: RP })], anyone), undefined);
  assert.equal(await asked([mark({ by: ANCHOR })], anyone), undefined);
  assert.equal(await asked([mark()], { trust_mark_issuers: {} }), 'trust_mark_invalid');
  assert.equal(await asked([mark()], {}), 'trust_mark_invalid');
});

// proves openid-federation-7.2.2-1
test('a mark of a type with an owner requires a delegation of the owner (§7.3 8, §7.2.2)', async () => {
  const anchor = { trust_mark_issuers: { [TYPE]: [ISSUER.id] }, ...OWNED };
  const delegated = (jwt: string) => [mark({ claims: { delegation: jwt } })];
  assert.equal(await asked([mark()], anchor), 'trust_mark_invalid');
  assert.equal(await asked(delegated(delegation()), anchor), undefined);
  for (const bad of [
    'x',
    delegation({}, STRANGER),
    delegation({ iss: STRANGER.id }),
    delegation({ sub: STRANGER.id }),
    delegation({ trust_mark_type: 'other' }),
    delegation({ iat: NOW + 61 }),
    delegation({ exp: NOW }),
    delegation({}, OWNER, 'trust-mark+jwt'),
  ]) {
    assert.equal(await asked(delegated(bad), anchor), 'trust_mark_invalid');
  }
});
