import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { examineStatement } from '../../src/federation/examine-statement.ts';
import { joseJwtInspector } from '../../src/jose/jwt-verifier.ts';
import { type Program, startProgram } from '../program/start.ts';

/** Starts the server with a federation and without one. */
let member: Program;
let loner: Program;

before(async () => {
  const environment = {
    CHANCERY_FEDERATION_ENABLED: 'true',
    CHANCERY_FEDERATION_AUTHORITY_HINTS: 'https://anchor.example',
    CHANCERY_FEDERATION_ORGANIZATION_NAME: 'Example',
  };
  [member, loner] = await Promise.all([
    startProgram({ environment, issuerPath: '/c2' }),
    startProgram({ issuerPath: '/c2' }),
  ]);
});

after(async () => {
  await Promise.all([member.stop(), loner.stop()]);
});

// proves openid-federation-9-1, openid-federation-8.7-1, openid-federation-5.2.1-1
test('the program publishes its entity configuration below its issuer and signs its key set with the same key (OpenID Federation 1.0 §9, §5.2.1)', async () => {
  const response = await fetch(`${member.url}/.well-known/openid-federation`);
  assert.equal(response.headers.get('content-type'), 'application/entity-statement+jwt');
  const { outcome } = await examineStatement(joseJwtInspector, await response.text(), {
    kind: 'configuration',
    subject: member.issuer,
    now: Math.floor(Date.now() / 1000),
    limits: { length: 65_536, keys: 16, authorityHints: 50 },
    allowHttp: false,
    addressProblem: () => undefined,
  });
  assert.ok('statement' in outcome);
  const { keys, metadata, authority_hints } = outcome.statement;
  assert.deepEqual(authority_hints, ['https://anchor.example']);
  const endpoint = `${member.issuer}/federation/historical-keys`;
  const told = { federation_historical_keys_endpoint: endpoint, organization_name: 'Example' };
  assert.deepEqual(metadata['federation_entity'], told);
  const past = await fetch(`${member.url}/federation/historical-keys`);
  assert.equal(past.headers.get('content-type'), 'application/jwk-set+jwt');
  const provider = metadata['openid_provider'] as Readonly<Record<string, unknown>>;
  assert.equal(provider['issuer'], member.issuer);
  assert.equal(provider['signed_jwks_uri'], `${member.issuer}/jwks.jwt`);
  assert.equal(provider['federation_registration_endpoint'], `${member.issuer}/federation/clients`);
  const signed = joseJwtInspector.inspect(await (await fetch(`${member.url}/jwks.jwt`)).text(), 65_536);
  assert.ok('claims' in signed);
  assert.equal(await joseJwtInspector.signatureProblem(signed, keys, ['RS256']), undefined);
  const published = (await (await fetch(`${member.url}/jwks.json`)).json()) as { readonly keys: unknown };
  assert.deepEqual(signed.claims['keys'], published.keys);
});

// proves openid-federation-9-1
test('the program without a federation has no entity configuration and no signed key set in discovery (decision 37)', async () => {
  const response = await fetch(`${loner.url}/.well-known/openid-federation`);
  assert.deepEqual([response.status, await response.text()], [404, '']);
  const { status } = await fetch(`${loner.url}/jwks.jwt`);
  assert.equal(status, 404);
  const discovered = await (await fetch(`${loner.url}/.well-known/openid-configuration`)).text();
  assert.doesNotMatch(discovered, /signed_jwks_uri/);
});
