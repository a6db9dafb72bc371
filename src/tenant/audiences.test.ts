import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settings } from '../config/settings.ts';
import { asserted, claimsOf, KEY, privateKeyClient, secretJwtClient } from '../testing/assertion.ts';
import { bearer, grantJwt, jwtIssuer, present } from '../testing/assertion-grant.ts';
import type { Answer } from '../testing/exchange.ts';
import { ANCHOR, federatedTenant, METADATA, ORG, requestStatement } from '../testing/federated-tenant.ts';
import { type TestEntity, testEntity } from '../testing/federation.ts';
import { signedJwt } from '../testing/jwt.ts';
import { CALLBACK, ISSUER, MASTER, START } from '../testing/tenant.ts';

/**
 * Every JWT of others that the server reads, and the `aud` that it accepts. ID tokens as hints and access tokens are its own, with
 * the audience that it gave them. Trust marks have no `aud` (OpenID Federation 1.0 §7.1).
 */
const LEGACY = { 'client-authentication.assertion-audience': 'legacy' } as const;
const PUBLISHER = 'https://publisher.example';

const settings: Partial<Settings> = {
  'assertion-grants.issuers': [jwtIssuer()],
  'registration.software-statement-issuers': [
    {
      issuer: PUBLISHER,
      jwks: { keys: [KEY.jwk] },
      'authorises-registration': false,
      'approved-software-ids': undefined,
    },
  ],
};
const tenant = await federatedTenant(settings);
const legacy = await federatedTenant({ ...settings, ...LEGACY });
type Tenant = typeof tenant;

let made = 0;

/** A relying party that the server does not know yet, with one key for every purpose. */
function newcomer(at: Tenant, claims: object = {}, stated: object = {}, metadata: object = {}): TestEntity {
  made += 1;
  const entity = testEntity(`https://rp-${made}.example`);
  const openid_relying_party = {
    redirect_uris: [CALLBACK],
    client_registration_types: ['automatic', 'explicit'],
    jwks: { keys: [entity.key.jwk] },
    ...metadata,
  };
  at.federation.join(entity, [ORG], { metadata: { openid_relying_party }, ...claims }, stated);
  return entity;
}

/** Pushes a request by a request object alone. */
async function pushed(at: Tenant, client: TestEntity, claims: object, more: object = {}): Promise<Answer> {
  made += 1;
  const { id: client_id, key } = client;
  const own = { iss: client_id, client_id, exp: START + 60, jti: `object-${made}`, redirect_uri: CALLBACK };
  const request = signedJwt(key, {
    ...own,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...claims,
  });
  return await at.send('pushed-authorization-request', { form: { client_id, request, ...more } });
}

type Reader = (aud: unknown) => Promise<Answer>;

async function assertionReader(at: Tenant, make: typeof privateKeyClient): Promise<Reader> {
  const client = await make(at);
  return async (aud) => {
    const { client_id } = client;
    const form = asserted(client.sign(claimsOf(client_id, { aud })), { grant_type: 'client_credentials' });
    return await at.send('token', { form });
  };
}

async function grantReader(at: Tenant): Promise<Reader> {
  const client = await bearer(at);
  return async (aud) => await present(at, client, grantJwt({ aud }));
}

async function ordinaryObjectReader(): Promise<Reader> {
  const jwks = { keys: [KEY.jwk] };
  const { client_id, client_secret } = await tenant.register({ redirect_uris: [CALLBACK], jwks });
  const client = { ...ANCHOR, id: client_id, key: KEY };
  return async (aud) => await pushed(tenant, client, { aud }, { client_secret });
}

const known = newcomer(tenant);

/** Which forms of `aud` are accepted. */
type Rule =
  /** This server, as a string or an array of one. */
  | 'alone'
  /** The same, or none. */
  | 'alone or absent'
  /** This server among others. */
  | 'among others'
  | 'among others or absent'
  | 'absent';

const READERS: readonly (readonly [jwt: string, rule: Rule, reader: Reader])[] = [
  ['client assertion, private_key_jwt', 'alone', await assertionReader(tenant, privateKeyClient)],
  ['client assertion, client_secret_jwt', 'alone', await assertionReader(tenant, secretJwtClient)],
  [
    'client assertion under assertion-audience legacy',
    'among others',
    await assertionReader(legacy, privateKeyClient),
  ],
  ['assertion of an identity provider (RFC 7523 §3)', 'alone', await grantReader(tenant)],
  [
    'assertion of an identity provider under assertion-audience legacy',
    'among others',
    await grantReader(legacy),
  ],
  [
    'software statement (RFC 7591 §2.3)',
    'among others or absent',
    async (aud) => {
      const statement = { iss: PUBLISHER, software_id: 'app', redirect_uris: [CALLBACK], aud };
      const json = { software_statement: signedJwt(KEY, statement) };
      return await tenant.send('client-registration', { bearer: MASTER, json });
    },
  ],
  ['request object of a registered client (RFC 9101 §5.2)', 'among others', await ordinaryObjectReader()],
  [
    'request object of an automatic client (OpenID Federation 1.0 §12.1.1.1)',
    'alone',
    async (aud) => await pushed(tenant, known, { aud }),
  ],
  [
    'registration request (OpenID Federation 1.0 §12.2.1)',
    'alone',
    async (aud) => {
      made += 1;
      return await tenant.postFinal(requestStatement(METADATA, { aud }));
    },
  ],
  [
    'registration request in the dialect of the interface',
    'alone or absent',
    async (aud) => await tenant.post(requestStatement(METADATA, { aud })),
  ],
  [
    'published entity configuration (OpenID Federation 1.0 §3.1.4)',
    'absent',
    async (aud) => await pushed(tenant, newcomer(tenant, { aud }), { aud: ISSUER }),
  ],
  [
    'statement of a superior (OpenID Federation 1.0 §3.1.4)',
    'absent',
    async (aud) => await pushed(tenant, newcomer(tenant, {}, { aud }), { aud: ISSUER }),
  ],
  [
    'signed key set (OpenID Federation 1.0 §5.2.1)',
    'among others or absent',
    async (aud) => {
      made += 1;
      const signed_jwks_uri = `https://keys.example/${made}`;
      const entity = newcomer(tenant, {}, {}, { jwks: undefined, signed_jwks_uri });
      const set = { iss: entity.id, sub: entity.id, keys: [entity.key.jwk], aud };
      tenant.federation.documents.set(signed_jwks_uri, signedJwt(entity.key, set, { typ: 'jwk-set+jwt' }));
      return await pushed(tenant, entity, { aud: ISSUER });
    },
  ],
];

const OTHER = 'https://other.example';
const ALONE = ['alone', 'alone or absent', 'among others', 'among others or absent'];
const AMONG = ['among others', 'among others or absent'];
const NEVER: readonly string[] = [];

/** The forms of `aud`, and the rules that accept each. */
const FORMS: readonly (readonly [title: string, aud: unknown, accepting: readonly string[]])[] = [
  ['a string', ISSUER, ALONE],
  ['an array of one', [ISSUER], ALONE],
  ['two servers', [ISSUER, OTHER], AMONG],
  ['this server twice', [ISSUER, ISSUER], AMONG],
  ['another server', OTHER, NEVER],
  ['an array of another server', [OTHER], NEVER],
  ['an empty array', [], NEVER],
  ['a number beside this server', [ISSUER, 7], NEVER],
  ['an array in an array', [[ISSUER]], NEVER],
  ['a number', 7, NEVER],
  ['null', null, NEVER],
  ['absent', undefined, ['alone or absent', 'among others or absent', 'absent']],
];

for (const [jwt, rule, reader] of READERS) {
  // proves openid-federation-12.1.1.1-1
  test(`${jwt}: aud is this server ${rule}, and an array of one is its value (RFC 7519 §4.1.3; decision 45)`, async () => {
    for (const [title, aud, accepting] of FORMS) {
      const { status, body } = await reader(aud);
      assert.equal(status < 400, accepting.includes(rule), `${title}: ${status} ${body}`);
    }
  });
}
