import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationUrl } from '../../federation/entity-id.ts';
import { STATEMENT_ALGORITHMS } from '../../federation/entity-statement.ts';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import type { Fetched } from '../../ports/outbound-http.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { assertBodiless, assertUncached, received, requestOf } from '../../testing/exchange.ts';
import {
  ANCHOR,
  answered,
  federatedTenant,
  METADATA,
  memberWith,
  ORG,
  REDIRECT_URI,
  RP,
  requestStatement,
} from '../../testing/federated-tenant.ts';
import { testEntity } from '../../testing/federation.ts';
import { resolved } from '../../testing/metadata-policy.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { ISSUER, START } from '../../testing/tenant.ts';
import { answer } from '../answer.ts';
import { disabledContract as contract } from './contract.ts';
import { disabledFederationRegistration } from './disabled.ts';

const HOUR = 3600;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

test('application/jose: 200 with the registration statement of the interface, signed with the federation key, without typ (interface; decision 34; H-216)', async () => {
  const tenant = await federatedTenant();
  const request = requestStatement({ ...METADATA, unknown_member: 1 });
  const response = await tenant.post(request);
  assert.equal(response.headers['content-type'], 'application/jose;charset=UTF-8');
  assertUncached(response);
  const { header, claims, registered } = answered(response);
  const { keys } = await (await publishedKeys()).federation.jwks();
  assert.deepEqual(header, { alg: 'RS256', kid: keys[0]?.['kid'] });
  const jwt = joseJwtInspector.inspect(response.body, 65_536);
  assert.ok('claims' in jwt);
  assert.equal(await joseJwtInspector.signatureProblem(jwt, keys, ['RS256']), undefined);
  const { metadata: _, metadata_policy, ...others } = claims;
  assert.deepEqual(others, {
    iss: ISSUER,
    sub: RP.id,
    aud: RP.id,
    iat: START,
    exp: START + HOUR,
    trust_anchor: ANCHOR.id,
    authority_hints: [ORG.id],
  });
  assert.deepEqual(registered, {
    client_id: registered['client_id'],
    client_id_issued_at: START,
    ...METADATA,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    application_type: 'web',
    id_token_signed_response_alg: 'RS256',
    subject_type: 'public',
  });
  assert.match(textOf(registered['client_id']), /^[A-Za-z0-9]{24}$/);
  const { openid_relying_party: policy } = metadata_policy as { openid_relying_party: object };
  assert.deepEqual(Object.keys(policy).toSorted(), [
    'application_type',
    'client_id',
    'client_id_issued_at',
    'grant_types',
    'id_token_signed_response_alg',
    'response_types',
    'subject_type',
    'unknown_member',
  ]);
});

for (const contentType of ['application/entity-statement+jwt', 'application/trust-chain+json']) {
  // proves openid-federation-12.2.3-1, openid-federation-12.2.1-1, openid-federation-12.2.3-2
  test(`${contentType}: 200 with the answer of OpenID Federation 1.0, its type without a parameter (§12.2.3)`, async () => {
    const tenant = await federatedTenant();
    const statement = requestStatement();
    const body = contentType.endsWith('json') ? JSON.stringify([statement, ORG.about(RP)]) : statement;
    const response = await tenant.post(body, { contentType });
    assert.equal(response.headers['content-type'], 'application/explicit-registration-response+jwt');
    const { header, claims, registered } = answered(response);
    assert.equal(header['typ'], 'explicit-registration-response+jwt');
    assert.equal('metadata_policy' in claims, false);
    assert.deepEqual(
      [claims['aud'], claims['trust_anchor'], claims['authority_hints']],
      [RP.id, ANCHOR.id, [ORG.id]],
    );
    assert.equal('registration_access_token' in registered, false);
  });
}

for (const algorithm of STATEMENT_ALGORITHMS) {
  // proves openid-federation-12.2.1-1
  test(`200: a statement that is signed with ${algorithm} registers, in both dialects (interface, Authentication 6)`, async () => {
    const tenant = await federatedTenant();
    const member = memberWith(algorithm, tenant.federation);
    answered(await tenant.post(requestStatement(METADATA, {}, member)));
    answered(await tenant.postFinal(requestStatement(METADATA, {}, member)));
  });
}

test('200: application/jose; charset=utf-8 and a statement without aud and typ: as clients in the field send it (decision 34)', async () => {
  const tenant = await federatedTenant();
  const claims = { authority_hints: [ORG.id], metadata: { openid_relying_party: METADATA } };
  const response = await tenant.post(RP.configuration(claims, { typ: undefined }), {
    contentType: 'application/jose; charset=UTF-8',
  });
  answered(response);
});

test('200: as pac4j reads the answer: typ absent, aud and iss as text, client_id and secret from metadata.openid_relying_party (protocol facts 1.8)', async () => {
  const tenant = await federatedTenant();
  const response = await tenant.post(requestStatement({ redirect_uris: [REDIRECT_URI] }));
  assert.ok(response.status === 200 || response.status === 201);
  const { header, claims, registered } = answered(response);
  assert.ok(['JWT', 'entity-statement+jwt', undefined].includes(header['typ'] as string | undefined));
  assert.equal(claims['iss'], ISSUER);
  assert.equal(claims['aud'], RP.id);
  assert.match(textOf(registered['client_id']), /./);
  assert.match(textOf(registered['client_secret']), /^[A-Za-z0-9]{43}$/);
});

test('200: a secret only for a secret method: keys alone mean private_key_jwt (decisions 11, 35)', async () => {
  const tenant = await federatedTenant();
  const { jwks, redirect_uris } = METADATA;
  const methods = [
    [{ redirect_uris, jwks }, 'private_key_jwt', false],
    [{ redirect_uris }, 'client_secret_basic', true],
    [{ redirect_uris, jwks, token_endpoint_auth_method: 'client_secret_post' }, 'client_secret_post', true],
    [{ redirect_uris, token_endpoint_auth_method: 'none' }, 'none', false],
  ] as const;
  for (const [metadata, method, secret] of methods) {
    const { registered } = answered(await tenant.post(requestStatement(metadata)));
    assert.equal(registered['token_endpoint_auth_method'], method);
    assert.equal('client_secret' in registered, secret);
    assert.equal('client_secret_expires_at' in registered, secret);
  }
});

const EXPIRIES = [
  ['the chain', { 'federation.explicit-client-lifetime': 0 }, {}, 0, START + HOUR],
  ['federation.explicit-client-lifetime', { 'federation.explicit-client-lifetime': 600 }, {}, 0, START + 600],
  [
    'a chain that ends before the lifetime does',
    { 'federation.explicit-client-lifetime': 86_400 },
    {},
    0,
    START + HOUR,
  ],
  [
    'the superior’s statement',
    { 'federation.explicit-client-lifetime': 0 },
    { exp: START + 700 },
    0,
    START + 700,
  ],
  ['the client secret', { 'federation.explicit-client-lifetime': 0 }, {}, 300, START + 300],
] as const;

for (const [name, changes, stated, clientSecretLifetime, exp] of EXPIRIES) {
  // proves openid-federation-12.2.3-2, openid-federation-12.3-1
  test(`200: a registration lives as long as ${name} (§12.2.3, §12.3; H-216)`, async () => {
    const tenant = await federatedTenant({
      ...changes,
      'registration.client-secret-lifetime': clientSecretLifetime,
    });
    tenant.federation.state(ORG, RP, stated);
    const { claims, registered } = answered(
      await tenant.post(requestStatement({ redirect_uris: [REDIRECT_URI] })),
    );
    assert.equal(claims['exp'], exp);
    assert.equal(registered['client_secret_expires_at'], exp);
    const stored = await tenant.storage.clients.find(registered['client_id'] as ClientId);
    assert.equal(stored?.expires_at, exp);
  });
}

// proves openid-federation-12.2.2-1
test('200: a renewal ends the registration before it, and with it its secret (§12.2.2)', async () => {
  const tenant = await federatedTenant();
  const { registered: first } = answered(
    await tenant.post(requestStatement({ redirect_uris: [REDIRECT_URI] })),
  );
  const { registered: second } = answered(await tenant.postFinal(requestStatement()));
  assert.notEqual(first['client_id'], second['client_id']);
  const clients = await tenant.storage.clients.page(undefined, 10);
  assert.deepEqual(
    clients.map(({ client_id, entity_id }) => [client_id, entity_id]),
    [[second['client_id'], RP.id]],
  );
  const events = await tenant.storage.audit.page(0, 10);
  assert.deepEqual(
    events.map(({ action, actor, client_id }) => [action, actor, client_id]),
    [
      ['client.create', `federation:${RP.id}`, first['client_id']],
      ['client.supersede', `federation:${RP.id}`, first['client_id']],
      ['client.create', `federation:${RP.id}`, second['client_id']],
    ],
  );
});

// proves openid-federation-12.2.2-1
test('200: 20 renewals at once: each is answered, one registration lives (H-218)', async () => {
  const tenant = await federatedTenant({ 'federation.registrations': 40 });
  const requests = Array.from({ length: 20 }, () => requestStatement());
  const ids = (await Promise.all(requests.map(async (body) => await tenant.post(body)))).map(
    (response) => answered(response).registered['client_id'],
  );
  const [live, ...others] = await tenant.storage.clients.page(undefined, 30);
  assert.equal(others.length, 0);
  assert.ok(ids.includes(live?.client_id ?? ''));
});

// proves openid-federation-12.2.2-1
test('200: a renewal under a narrower policy has what the policy leaves (H-219)', async () => {
  const tenant = await federatedTenant();
  const wide = { ...METADATA, grant_types: ['authorization_code', 'refresh_token'], scope: 'openid email' };
  const { registered: first } = answered(await tenant.post(requestStatement(wide)));
  assert.deepEqual(first['grant_types'], wide.grant_types);
  const policy = { grant_types: { subset_of: ['authorization_code'] }, scope: { value: 'openid' } };
  tenant.federation.state(ORG, RP, { metadata_policy: { openid_relying_party: policy } });
  const { registered: second } = answered(await tenant.post(requestStatement(wide)));
  assert.deepEqual([second['grant_types'], second['scope']], [['authorization_code'], 'openid']);
  const [stored] = await tenant.storage.clients.page(undefined, 10);
  assert.deepEqual(JSON.parse(stored?.metadata ?? '{}').grant_types, ['authorization_code']);
});

test('200: metadata of the superior stands before that of the relying party (§3.1.1; H-214)', async () => {
  const tenant = await federatedTenant();
  tenant.federation.state(ORG, RP, { metadata: { openid_relying_party: { client_name: 'As ORG says' } } });
  assert.equal(answered(await tenant.post(requestStatement())).registered['client_name'], 'As ORG says');
});

/** A small linear congruential generator: the same rows in every run. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state;
  }
}

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  grant_types: [['authorization_code'], ['authorization_code', 'refresh_token'], ['implicit']],
  scope: ['openid', 'email openid', ''],
  contacts: [['a@rp.example', 'b@rp.example'], []],
  client_name: ['RP', 'Ü "quoted"'],
  'client_name#de': ['Anwendung'],
  client_registration_types: [['explicit', 'automatic']],
  token_endpoint_auth_method: ['none', 'client_secret_basic', 'private_key_jwt'],
  id_token_signed_response_alg: ['RS256', 'ES256'],
  require_auth_time: [true, false],
  default_max_age: [0, 600],
  application_type: ['web'],
  organization_name: ['x'],
  client_secret: ['mine'],
  client_id: ['mine'],
};

test('200: metadata_policy applied to what was submitted gives what was registered, for metadata at random (decision 34)', async () => {
  const tenant = await federatedTenant();
  const random = numbers(20_261_121);
  let registrations = 0;
  for (let round = 0; round < 60; round += 1) {
    const chosen = Object.entries(CHOICES).flatMap(([name, values]) =>
      random.next().value % 3 === 0 ? [] : [[name, values[random.next().value % values.length]] as const],
    );
    const submitted = { redirect_uris: [REDIRECT_URI], jwks: METADATA.jwks, ...Object.fromEntries(chosen) };
    const response = await tenant.post(requestStatement(submitted));
    if (response.status !== 200) continue;
    registrations += 1;
    const { claims, registered } = answered(response);
    const { openid_relying_party: policy } = claims['metadata_policy'] as { openid_relying_party: never };
    assert.deepEqual(resolved([policy], submitted as never), registered);
  }
  assert.ok(registrations > 20, `${registrations} registrations`);
});

test('200: entities whose identifiers differ by a slash or the case of a path are different clients (H-221)', async () => {
  const tenant = await federatedTenant();
  const alike = [`${RP.id}/`, `${RP.id}/x`, `${RP.id}/X`].map((id) => testEntity(id));
  answered(await tenant.post(requestStatement()));
  for (const entity of alike) {
    tenant.federation.state(ORG, entity);
    answered(await tenant.post(requestStatement(METADATA, {}, entity)));
  }
  const clients = await tenant.storage.clients.page(undefined, 10);
  assert.deepEqual(
    new Set(clients.map(({ entity_id }) => entity_id)),
    new Set([RP.id, ...alike.map(({ id }) => id)]),
  );
  assert.equal(clients.length, alike.length + 1);
});

test('more registrations at once than a network gets of federation.registrations: 429 with Retry-After, none of them waits, and another network finds room (H-200; decision 50)', async () => {
  const tenant = await federatedTenant({ 'federation.registrations': 3 });
  const { promise: hanging, resolve: release } = Promise.withResolvers<Fetched>();
  const { documents } = tenant.federation;
  const good = documents.get(configurationUrl(ANCHOR.id));
  documents.set(configurationUrl(ANCHOR.id), async () => await hanging);
  const waiting = [tenant.post(requestStatement()), tenant.post(requestStatement())];
  const refused = await tenant.post(requestStatement());
  assert.deepEqual([refused.status, refused.json['error']], [429, 'temporarily_unavailable']);
  assert.equal(refused.headers['retry-after'], '10');
  waiting.push(tenant.post(requestStatement(), { from: '198.51.100.7' }));
  release({ status: 'failed', reason: 'timeout', detail: '' });
  for (const one of waiting) assert.equal((await one).status, 401);
  documents.set(configurationUrl(ANCHOR.id), good as string);
  answered(await tenant.post(requestStatement()));
});

test('POST /federation/clients, a fault: 500 without body, and only the report has the cause (interface, Errors)', async () => {
  const cause = new Error('/var/lib/registry');
  const reports: unknown[] = [];
  const handle = (): never => {
    throw cause;
  };
  const faulty = { ...disabledFederationRegistration, handle };
  const response = await answer(faulty, requestOf(contract, {}), (failure) => reports.push(failure));
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});

test('the store fails when the client is to be made: 500 without body, and no client (interface, Errors)', async () => {
  const tenant = await federatedTenant();
  const cause = new Error('/var/lib/registry is full');
  tenant.watch.fail(cause, 'clients.create');
  assertBodiless(await tenant.post(requestStatement()), 500);
  assert.deepEqual(tenant.reports, [cause]);
  tenant.watch.recover();
  answered(await tenant.post(requestStatement()));
});
