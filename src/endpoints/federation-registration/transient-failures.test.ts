import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../testing/exchange.ts';
import {
  ANCHOR,
  federatedTenant,
  METADATA,
  ORG,
  RP,
  requestStatement,
} from '../../testing/federated-tenant.ts';
import { statementUrl, testEntity } from '../../testing/federation.ts';

const KEPT = { 'federation.failure-cache': 5 };

function outcome({ status, json, headers }: Answer): readonly unknown[] {
  const words = String(json['error_description']);
  return [
    status,
    json['error'],
    /[a-z-]+_[a-z_-]+(?=: [^:]*(?:$|;))/.exec(words)?.[0],
    headers['retry-after'],
  ];
}

test('a superior that does not know the relying party is a final answer; the memory of it is 503 with the seconds left, and ends after federation.failure-cache (OpenID Federation 1.0 §8.9; decision 50)', async () => {
  const tenant = await federatedTenant(KEPT);
  const url = statementUrl(ORG, RP);
  tenant.federation.documents.delete(url);
  const asked = (): number => tenant.federation.fetched.filter((one) => one === url).length;
  const final = [400, 'invalid_trust_chain', 'fetch_status', undefined];
  assert.deepEqual(outcome(await tenant.postFinal(requestStatement())), final);
  tenant.clock.advance(2);
  assert.deepEqual(outcome(await tenant.postFinal(requestStatement())), [
    503,
    'temporarily_unavailable',
    'fetch_recently-failed',
    '3',
  ]);
  assert.equal(asked(), 1);
  tenant.clock.advance(3);
  assert.deepEqual(outcome(await tenant.postFinal(requestStatement())), final);
  assert.equal(asked(), 2);
});

test('a relying party that enrols right after a stranger asked for it is told to wait for federation.failure-cache, not for outbound.negative-cache, and is not refused (H-227; decision 50)', async () => {
  const tenant = await federatedTenant(KEPT);
  tenant.federation.documents.delete(statementUrl(ORG, RP));
  await tenant.post(requestStatement());
  tenant.federation.state(ORG, RP);
  assert.equal((await tenant.post(requestStatement())).headers['retry-after'], '5');
  tenant.clock.advance(5);
  assert.equal((await tenant.post(requestStatement())).status, 200);
});

test('an authority that gives no answer: 503, with the seconds after which it is asked again (OpenID Federation 1.0 §8.9)', async () => {
  const tenant = await federatedTenant(KEPT);
  const away = { status: 'failed', reason: 'timeout', detail: 'away', retryAfter: 60 } as const;
  tenant.federation.documents.set(statementUrl(ORG, RP), async () => away);
  const told = outcome(await tenant.post(requestStatement()));
  assert.deepEqual(told, [503, 'temporarily_unavailable', 'fetch_timeout', '5']);
});

test('a hint to this federation beyond the limit: the refusal names hints_exhausted, not a path that leads elsewhere (OpenID Federation 1.0 §18.1)', async () => {
  const tenant = await federatedTenant();
  const elsewhere = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => testEntity(`https://${name}.example`));
  for (const entity of elsewhere) {
    tenant.federation.join(entity, []);
    tenant.federation.state(entity, RP);
  }
  const authority_hints = [...elsewhere.map(({ id }) => id), ORG.id];
  const { status, json } = await tenant.post(requestStatement(METADATA, { authority_hints }));
  assert.equal(status, 401);
  assert.match(
    String(json['error_description']),
    /^invalid_trust_chain: hints_exhausted: https:\/\/rp\.example has 7 authority_hints, and one search follows 5;/,
  );
});

test('the log line of a refusal has the command that explains it, quoted for a shell where needed (decision 46)', async () => {
  const tenant = await federatedTenant();
  const odd = testEntity("https://rp.example/a;b'$(c)");
  const explained = (): unknown =>
    tenant.log.findLast(({ members }) => 'explain' in members)?.members['explain'];
  await tenant.post(requestStatement(METADATA, {}, odd));
  assert.equal(explained(), `chancery federation resolve 'https://rp.example/a;b'\\''$(c)'`);
  await tenant.post(requestStatement({ ...METADATA, redirect_uris: ['ftp://rp.example'] }));
  assert.equal(explained(), `chancery federation resolve ${RP.id}`);
  tenant.federation.join(
    ORG,
    [ANCHOR],
    {},
    { metadata_policy: { openid_relying_party: { x: { essential: true } } } },
  );
  await tenant.post(requestStatement());
  const line = tenant.log.findLast(({ members }) => 'explain' in members);
  assert.equal(line?.members['reason'], 'policy_violated');
});
