import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import {
  ANCHOR,
  type FederatedTenant,
  federatedTenant,
  METADATA,
  ORG,
  RP,
  requestStatement,
} from '../../../testing/federated-tenant.ts';
import { testKey } from '../../../testing/jwt.ts';
import { ADMIN, type TestTenant, testTenant } from '../../../testing/tenant.ts';

async function send(tenant: TestTenant, name: string, request: object = {}): Promise<Answer> {
  return await tenant.send(`admin-${name}`, { bearer: ADMIN, ...request });
}

/** Registers the relying party. */
async function aMember(tenant: TestTenant): Promise<string> {
  const answered = await tenant.send('federation-registration', {
    body: requestStatement(),
    contentType: 'application/entity-statement+jwt',
  });
  assert.equal(answered.status, 200, answered.body);
  const [item] = (await send(tenant, 'federation-member-list')).json['items'] as readonly Member[];
  return item?.client_id ?? assert.fail();
}

interface Member {
  readonly client_id: string;
}

const member: OperationRequest = async (tenant) => ({ segments: { client_id: await aMember(tenant) } });
const anchor: OperationRequest = () => ({ segments: { entity_id: ANCHOR.id } });
const anchorWithBody: OperationRequest = () => ({ segments: { entity_id: ANCHOR.id }, json: {} });
const resolution: OperationRequest = () => ({ json: { entity_id: RP.id } });
const make = async (): Promise<FederatedTenant> => await federatedTenant();

testAdminOperation('admin-federation-member-list', () => ({}), make);
testAdminOperation('admin-federation-member-read', member, make);
testAdminOperation('admin-federation-member-chain', member, make);
testAdminOperation('admin-federation-member-refresh', member, make);
testAdminOperation(
  'admin-federation-member-delete',
  async (tenant) => ({ ...(await member(tenant)), headers: { 'if-match': '*' } }),
  make,
);
testAdminOperation('admin-federation-resolve', resolution, make);
testAdminOperation('admin-trust-anchor-list', () => ({}), make);
testAdminOperation('admin-trust-anchor-read', anchor, make);
testAdminOperation('admin-trust-anchor-look', anchor, make);
testAdminOperation('admin-trust-anchor-accept', anchorWithBody, make);
testAdminOperation('admin-trust-anchor-reset', anchor, make);
testAdminPrecondition('admin-federation-member-delete', member, make);
const clients = async ({ unwatched }: TestTenant): Promise<unknown> =>
  await unwatched.clients.page(undefined, 10);
testAdminDryRun('admin-federation-member-delete', member, clients, make);
testAdminDryRun('admin-federation-member-refresh', member, clients, make);
const anchors = async ({ unwatched }: TestTenant): Promise<unknown> => await unwatched.trustAnchors.all();
testAdminDryRun('admin-trust-anchor-accept', anchorWithBody, anchors, make);
testAdminDryRun('admin-trust-anchor-reset', anchor, anchors, make);

test('200: a member of a federation is listed and read with its chain and refreshed, and its deletion answers 204', async () => {
  const tenant = await federatedTenant();
  await tenant.register({ redirect_uris: ['https://other.example/cb'] });
  const client_id = await aMember(tenant);
  const listed = await send(tenant, 'federation-member-list', { query: `trust_anchor=${ANCHOR.id}` });
  const [item, ...others] = listed.json['items'] as readonly Readonly<Record<string, unknown>>[];
  assert.equal(others.length, 0);
  assert.deepEqual(
    [item?.['entity_id'], item?.['registration'], item?.['state'], item?.['trust_chain']],
    [RP.id, 'explicit', 'active', [RP.id, ORG.id, ANCHOR.id]],
  );
  const idsOf = async (query: string): Promise<readonly unknown[]> => {
    const { json } = await send(tenant, 'federation-member-list', { query });
    return (json['items'] as readonly Member[]).map((one) => one.client_id);
  };
  for (const query of [
    'state=active',
    'name_contains=YING',
    'expires_before=2200-01-01T00:00:00Z',
    'sort=-name',
  ])
    assert.deepEqual(await idsOf(query), [client_id], query);
  for (const query of [
    'state=expired',
    'trust_anchor=https://other.example',
    'entity_id=https://other.example',
    'name_contains=nothing',
    'expires_before=1990-01-01T00:00:00Z',
  ])
    assert.deepEqual((await send(tenant, 'federation-member-list', { query })).json['items'], []);
  tenant.federation.join(RP, [ORG], { metadata: { openid_relying_party: METADATA } });
  const segments = { client_id };
  assert.deepEqual((await send(tenant, 'federation-member-read', { segments })).json, item);
  const refreshed = await send(tenant, 'federation-member-refresh', { segments });
  const [outcome] = refreshed.json['outcomes'] as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    [outcome?.['client_id'], outcome?.['renewed'], outcome?.['changed']],
    [client_id, true, []],
  );
  const headers = { 'if-match': '*' };
  assert.equal((await send(tenant, 'federation-member-delete', { segments, headers })).status, 204);
  assertProblem(await send(tenant, 'federation-member-read', { segments }), 404, 'not_found');
});

test('404: a client without a federation is no member', async () => {
  const tenant = await federatedTenant();
  const { client_id } = await tenant.register({ redirect_uris: ['https://other.example/cb'] });
  const segments = { client_id };
  for (const name of ['read', 'chain', 'refresh', 'delete'])
    assertProblem(
      await send(tenant, `federation-member-${name}`, { segments, headers: { 'if-match': '*' } }),
      404,
      'not_found',
    );
});

interface Statement {
  readonly issuer: string;
  readonly kid: string;
  readonly key_ids: readonly string[];
  readonly checks: readonly object[];
}

interface Entity {
  readonly entity_id: string;
  readonly configuration: Statement;
  readonly statement?: Statement;
  readonly superiors: readonly Entity[];
}

test('200: the chain of a member has the keys and the checks of each entity, or the step that failed; no audit event', async () => {
  const tenant = await federatedTenant();
  const client_id = await aMember(tenant);
  tenant.federation.join(RP, [ORG], { metadata: { openid_relying_party: METADATA } });
  const before = await tenant.unwatched.audit.page(0, 20);
  const found = await send(tenant, 'federation-member-chain', { segments: { client_id } });
  assert.equal((found.json['chain'] as { trust_anchor: string }).trust_anchor, ANCHOR.id);
  const leaf = found.json['search'] as Entity;
  const [organisation] = leaf.superiors;
  const [anchorAbove] = organisation?.superiors ?? [];
  assert.deepEqual(
    [leaf, organisation, anchorAbove].map((entity) => [
      entity?.entity_id,
      entity?.configuration.key_ids,
      entity?.statement?.kid,
    ]),
    [
      [RP.id, [RP.key.jwk['kid']], undefined],
      [ORG.id, [ORG.key.jwk['kid']], ORG.key.jwk['kid']],
      [ANCHOR.id, [ANCHOR.key.jwk['kid']], ANCHOR.key.jwk['kid']],
    ],
  );
  assert.ok(leaf.configuration.checks.length > 10);
  tenant.federation.documents.clear();
  const lost = await send(tenant, 'federation-member-chain', { segments: { client_id } });
  assert.equal(lost.json['chain'], null);
  assert.match((lost.json['reason'] as { code: string }).code, /^fetch_/);
  assert.deepEqual(await tenant.unwatched.audit.page(0, 20), before);
});

test('400: a time that does not exist, and a cursor of another list, are refused by name', async () => {
  const tenant = await federatedTenant();
  for (const [query, detail] of [
    ['expires_before=2026-02-30T00:00:00Z', /expires_before/u],
    ['cursor=other', /cursor/u],
  ] as const)
    assertProblem(await send(tenant, 'federation-member-list', { query }), 400, 'invalid_parameter', detail);
});

test('a refresh that fails says why for the client, and leaves it as it is', async () => {
  const tenant = await federatedTenant();
  const client_id = await aMember(tenant);
  tenant.federation.documents.clear();
  const before = await clients(tenant);
  const refreshed = await send(tenant, 'federation-member-refresh', { segments: { client_id } });
  const [outcome] = refreshed.json['outcomes'] as readonly Readonly<Record<string, unknown>>[];
  assert.equal(outcome?.['renewed'], false);
  assert.equal(typeof outcome?.['error_description'], 'string');
  assert.deepEqual(await clients(tenant), before);
});

test('200: POST /admin/v1/federation/resolve shows the chain with its checks, or why there is none; the audit has it', async () => {
  const tenant = await federatedTenant();
  tenant.federation.join(RP, [ORG]);
  const found = await send(tenant, 'federation-resolve', {
    json: { entity_id: RP.id, trust_anchor: ANCHOR.id },
  });
  assert.equal(found.status, 200, found.body);
  assert.equal((found.json['chain'] as { trust_anchor: string }).trust_anchor, ANCHOR.id);
  assert.match(found.body, /"checks"/u);
  const none = await send(tenant, 'federation-resolve', { json: { entity_id: 'https://stranger.example' } });
  assert.deepEqual([none.status, none.json['chain']], [200, null]);
  assert.equal(typeof (none.json['reason'] as { code: string }).code, 'string');
  const events = await tenant.unwatched.audit.page(0, 10);
  assert.deepEqual(
    events.map(({ action, detail }) => [action, detail]),
    [
      ['federation.resolve', RP.id],
      ['federation.resolve', 'https://stranger.example'],
    ],
  );
  for (const [json, detail] of [
    [{ entity_id: 'http://rp.example' }, /entity_id/u],
    [{ entity_id: 'nothing' }, /entity_id/u],
    [{ entity_id: RP.id, trust_anchor: 'https://other.example' }, /trust_anchor/u],
    [{}, /entity_id/u],
  ] as const)
    assertProblem(await send(tenant, 'federation-resolve', { json }), 400, 'invalid_body', detail);
});

test('200: an announced key of a trust anchor is seen by a look, accepted by its thumbprint only, and forgotten by a reset', async () => {
  const tenant = await federatedTenant();
  const key = testKey('ES256', 'new');
  tenant.federation.join(ANCHOR, [], { jwks: { keys: [ANCHOR.key.jwk, key.jwk] } });
  const segments = { entity_id: ANCHOR.id };
  const keysOf = ({ json }: Answer): readonly { readonly state: string; readonly thumbprint: string }[] =>
    json['keys'] as readonly { readonly state: string; readonly thumbprint: string }[];
  const looked = await send(tenant, 'trust-anchor-look', { segments });
  assert.equal(looked.status, 200, looked.body);
  assert.deepEqual(
    [keysOf(looked).map(({ state }) => state), looked.json['problem']],
    [['pinned', 'announced'], null],
  );
  const announced = keysOf(looked)[1]?.thumbprint;
  const wrong = await send(tenant, 'trust-anchor-accept', { segments, json: { thumbprints: ['other'] } });
  assertProblem(wrong, 409, 'conflict', /announces other keys/u);
  const json = { thumbprints: [announced] };
  const accepted = await send(tenant, 'trust-anchor-accept', { segments, json });
  assert.deepEqual(
    keysOf(accepted).map(({ state }) => state),
    ['pinned', 'accepted'],
  );
  const reset = await send(tenant, 'trust-anchor-reset', { segments });
  assert.deepEqual(
    keysOf(reset).map(({ state }) => state),
    ['pinned'],
  );
  assertProblem(
    await send(tenant, 'trust-anchor-read', { segments: { entity_id: 'https://other.example' } }),
    404,
    'not_found',
  );
});

test('409: a tenant without a federation resolves nothing and has no anchors', async () => {
  const tenant = testTenant();
  const segments = { entity_id: ANCHOR.id };
  for (const [name, request] of [
    ['federation-resolve', { json: { entity_id: RP.id } }],
    ['trust-anchor-list', {}],
    ['trust-anchor-read', { segments }],
    ['trust-anchor-look', { segments }],
    ['trust-anchor-accept', { segments, json: {} }],
    ['trust-anchor-reset', { segments }],
  ] as const)
    assertProblem(await send(tenant, name, request), 409, 'conflict', /federation\.enabled is false/u);
  assert.deepEqual((await send(tenant, 'federation-member-list')).json['items'], []);
});
