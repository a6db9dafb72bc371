import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import type { Fetched } from '../../ports/outbound-http.ts';
import { ampleCaches } from '../../testing/caches.ts';
import { NOW, type TestEntity, TestFederation, testEntity } from '../../testing/federation.ts';
import { signedJwt } from '../../testing/jwt.ts';
import { type StatusRule, TrustMarkStatuses } from './trust-mark-status.ts';

const RP = testEntity('https://rp.example');
const ANCHOR = testEntity('https://anchor.example');
const ISSUER = testEntity('https://marks.example');
const STRANGER = testEntity('https://stranger.example');
const TYPE = 'https://anchor.example/marks/audited';
const ENDPOINT = `${ISSUER.id}/status`;
const SIGNED = 'application/trust-mark-status-response+jwt';
const BOTH: StatusRule = { asks: 'without-expiry', unknown: 'refuse' };

const mark = (claims: object = {}, by = ISSUER): string =>
  signedJwt(
    by.key,
    { iss: by.id, sub: RP.id, trust_mark_type: TYPE, iat: NOW - 10, ...claims },
    { typ: 'trust-mark+jwt' },
  );
const MARK = mark();

/** The response of the issuer. */
function status(claims: object = {}, header: object = {}, by: TestEntity = ISSUER): Fetched {
  const usual = { iss: ISSUER.id, iat: NOW, trust_mark: MARK, status: 'active' };
  const jwt = signedJwt(
    by.key,
    { ...usual, ...claims },
    { typ: 'trust-mark-status-response+jwt', ...header },
  );
  return { status: 'ok', body: Buffer.from(jwt), mediaType: SIGNED };
}

const json = (body: unknown): Fetched => ({
  status: 'ok',
  body: Buffer.from(JSON.stringify(body)),
  mediaType: 'application/json',
});

const AWAY: Fetched = { status: 'failed', reason: 'timeout', detail: 'away', retryAfter: 60 };
const UNKNOWN_THERE: Fetched = { status: 'failed', reason: 'status', detail: 'status 404' };

interface World {
  readonly asked: { readonly url: string; readonly form: object }[];
  readonly federation: TestFederation;
  readonly ask: () => Promise<readonly [code: string | undefined, retryAfter: number | undefined]>;
  /** Resolves once more, and returns how many fetches that took from the limit of the resolution. */
  readonly spent: () => Promise<number>;
}

/** A relying party with a required mark, whose issuer answers so. */
function world(
  answer: () => Fetched,
  rule: Partial<StatusRule> = {},
  { held = MARK, endpoint = ENDPOINT }: { readonly held?: string; readonly endpoint?: string | null } = {},
): World {
  const federation = new TestFederation();
  const federation_entity = {
    federation_fetch_endpoint: `${ISSUER.id}/fetch`,
    ...(endpoint === null ? {} : { federation_trust_mark_status_endpoint: endpoint }),
  };
  federation.join(RP, [ANCHOR], { trust_marks: [{ trust_mark_type: TYPE, trust_mark: held }] });
  federation.join(ISSUER, [ANCHOR], { metadata: { federation_entity } });
  federation.join(ANCHOR, [], { trust_mark_issuers: { [TYPE]: [ISSUER.id] } });
  const asked: World['asked'] = [];
  const clock = { now: () => NOW, milliseconds: () => federation.milliseconds };
  const markStatuses = new TrustMarkStatuses({
    outbound: {
      async askForm(url, form) {
        asked.push({ url, form });
        return answer();
      },
    },
    inspector: joseJwtInspector,
    clock,
    caches: ampleCaches(),
    rule: { ...BOTH, ...rule },
    keptMs: 300_000,
    failedMs: 5000,
  });
  const resolve = async () =>
    await federation.resolve(RP, [ANCHOR], { requiredTrustMarks: [TYPE], markStatuses });
  return {
    asked,
    federation,
    async ask() {
      const { reason, retryAfter } = await resolve();
      return [reason?.code, retryAfter];
    },
    spent: async () => (await resolve()).fetches,
  };
}

type Row = readonly [name: string, answer: Fetched, code: string | undefined, retryAfter?: number];
const ROWS: readonly Row[] = [
  ['active, signed', status(), undefined],
  ['active, as JSON of earlier drafts', json({ active: true }), undefined],
  ['revoked', status({ status: 'revoked' }), 'trust_mark_revoked'],
  ['expired', status({ status: 'expired' }), 'trust_mark_revoked'],
  ['a status of a federation of its own', status({ status: 'suspended' }), 'trust_mark_revoked'],
  ['not active, as JSON', json({ active: false }), 'trust_mark_revoked'],
  ['a mark that the issuer does not know: 404', UNKNOWN_THERE, 'trust_mark_status'],
  ['no answer', AWAY, 'trust_mark_status', 60],
  ['a response signed by a stranger', status({}, {}, STRANGER), 'trust_mark_status'],
  ['a response by another issuer', status({ iss: STRANGER.id }), 'trust_mark_status'],
  ['a response about another mark', status({ trust_mark: mark({ iat: NOW - 11 }) }), 'trust_mark_status'],
  ['a response of yesterday', status({ iat: NOW - 86_400 }), 'trust_mark_status'],
  ['a response from the future', status({ iat: NOW + 600 }), 'trust_mark_status'],
  ['a response that has expired', status({ exp: NOW }), 'trust_mark_status'],
  ['a response without status', status({ status: undefined }), 'trust_mark_status'],
  ['a response of another type', status({}, { typ: 'JWT' }), 'trust_mark_status'],
  [
    'a trust mark as response',
    { status: 'ok', body: Buffer.from(MARK), mediaType: SIGNED },
    'trust_mark_status',
  ],
  ['JSON without active', json({ active: 'true' }), 'trust_mark_status'],
  ['JSON null', json(null), 'trust_mark_status'],
];
for (const [name, answer, code, retryAfter] of ROWS) {
  // proves openid-federation-8.4-1
  test(`status of a trust mark: ${name}: ${code ?? 'accepted'} (OpenID Federation 1.0 §8.4; H-444, H-445)`, async () => {
    const { ask, asked } = world(() => answer);
    assert.deepEqual(await ask(), [code, retryAfter]);
    assert.deepEqual(asked, [{ url: ENDPOINT, form: { trust_mark: MARK } }]);
  });
}

test('federation.trust-mark-status says which marks are asked for (OpenID Federation 1.0 §7.3, §8.4)', async () => {
  const revoked = (): Fetched => status({ status: 'revoked' });
  const expiring = { held: mark({ exp: NOW + 60 }) };
  const rows = [
    ['never', {}, 0],
    ['without-expiry', {}, 1],
    ['always', {}, 1],
    ['never', expiring, 0],
    ['without-expiry', expiring, 0],
    ['always', expiring, 1],
    ['without-expiry', { endpoint: null }, 0],
    ['always', { endpoint: null }, 0],
  ] as const;
  for (const [asks, held, times] of rows) {
    const { ask, asked } = world(revoked, { asks }, held);
    const [code] = await ask();
    assert.equal(asked.length, times, asks);
    assert.equal(code === undefined, times === 0 && !(asks === 'always' && 'endpoint' in held));
  }
});

test('federation.trust-mark-status-unknown accept: an issuer that is away stops no registration, and one that says revoked does (H-445)', async () => {
  for (const answer of [AWAY, UNKNOWN_THERE, json({})]) {
    assert.deepEqual(await world(() => answer, { unknown: 'accept' }).ask(), [undefined, undefined]);
  }
  const revoked = world(() => status({ status: 'revoked' }), { unknown: 'accept' });
  assert.deepEqual(await revoked.ask(), ['trust_mark_revoked', undefined]);
});

test('a status is asked once in its time, an issuer without an answer once in the shorter time of failures (OpenID Federation 1.0 §8.4)', async () => {
  let answer = status();
  const { ask, asked, federation } = world(() => answer);
  await ask();
  answer = status({ status: 'revoked' });
  federation.milliseconds += 299_999;
  assert.deepEqual([await ask(), asked.length], [[undefined, undefined], 1]);
  federation.milliseconds += 1;
  assert.deepEqual([(await ask())[0], asked.length], ['trust_mark_revoked', 2]);
  answer = AWAY;
  federation.milliseconds += 300_000;
  await ask();
  await ask();
  assert.equal(asked.length, 3);
  answer = status();
  federation.milliseconds += 5000;
  assert.deepEqual([await ask(), asked.length], [[undefined, undefined], 4]);
});

test('a status that this server was too busy to ask for is asked at the next resolution (H-487)', async () => {
  let answer: Fetched = { status: 'failed', reason: 'busy', detail: 'no slot', retryAfter: 7 };
  const { ask, asked } = world(() => answer);
  assert.deepEqual(await ask(), ['trust_mark_status', 7]);
  answer = status();
  assert.deepEqual([await ask(), asked.length], [[undefined, undefined], 2]);
});

test('a status that is not wanted takes nothing from federation.fetches', async () => {
  const never = await world(() => status(), { asks: 'never' }).spent();
  assert.equal(await world(() => status()).spent(), never + 1);
  assert.equal(await world(() => status(), {}, { held: mark({ exp: NOW + 60 }) }).spent(), never);
  assert.equal(await world(() => status(), {}, { endpoint: null }).spent(), never);
  const { federation, spent } = world(() => status(), { asks: 'never' });
  assert.equal(await spent(), federation.fetched.length);
});

test('the status of a mark that does not hold is not asked (H-444)', async () => {
  const unsound = world(() => status(), {}, { held: mark({ sub: STRANGER.id }) });
  assert.equal((await unsound.ask())[0], 'trust_mark_invalid');
  assert.equal(unsound.asked.length, 0);
});
