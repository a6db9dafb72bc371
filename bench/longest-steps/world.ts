import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestKey, testKey } from '../../src/testing/jwt.ts';
import type { SamlKey } from '../../src/testing/saml.ts';
import { type Authorities, type Entity, startAuthorities } from '../../test/federation/authorities.ts';
import { type Program, sha256, startProgram } from '../../test/program/start.ts';
import { streamClient } from '../../test/program/stream-client.ts';
import { certificateAuthority } from '../../test/tls/certificate.ts';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const SAML2_BEARER = 'urn:ietf:params:oauth:grant-type:saml2-bearer';
export const IDP = 'https://idp.example';
export const CALLBACK = 'https://rp.example/cb';
/** Authenticates the sign-in page of the operator. */
export const EXTERNAL_TOKEN = 'the-token-of-the-external-sign-in-page';
/** Opens the end of everything that a person has. */
export const REVOCATION_TOKEN = 'the-token-of-the-incident-tool-of-the-operator';
/** The domain whose people the server signs in. */
export const PEOPLE = 'people.test';

/** Redirection URIs that fill the body, all of them loopback addresses: each is compared with the others. */
const LONG_URIS = Array.from(
  { length: 100 },
  (_, index) => `http://127.0.0.1:${index + 1}/${'x'.repeat(280)}`,
);

/** A native client as large as a body may be. */
export const LONG_NATIVE = {
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  redirect_uris: LONG_URIS,
  post_logout_redirect_uris: LONG_URIS,
};

export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
}

/** A client that receives security events, with its stream. */
export interface Receiver {
  readonly access_token: string;
  readonly stream_id: string;
}

/** A started program with every endpoint, and the registrations that make requests to it as expensive as they can be. */
export interface World {
  readonly folder: string;
  readonly program: Program;
  /** The same settings, with a sign-in page of the operator's own. */
  readonly external: Program;
  readonly anchor: Entity;
  readonly authorities: Authorities;
  readonly samlKey: SamlKey;
  readonly jwtKey: TestKey;
  /** Has as many scope values as fit into a body. */
  readonly wide: Registered;
  /** Has as many keys as a client may have. */
  readonly keyed: Registered;
  readonly key: TestKey;
  /** Has as many redirection URIs as fit into a body, on loopback hosts. */
  readonly native: Registered;
  /** An ID token of `native`. */
  readonly hint: string;
  readonly receiver: Receiver;
  close(): Promise<void>;
}

/** Turns on every endpoint that strangers can reach. */
const SETTINGS = {
  CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
  CHANCERY_OPENAPI_ENABLED: 'true',
  CHANCERY_CIBA_ENABLED: 'true',
  CHANCERY_ADMIN_LISTENERS: 'both',
  CHANCERY_SIGNALS_ENABLED: 'true',
  CHANCERY_SIGNALS_STREAMS_PER_CLIENT: '100',
  CHANCERY_SIGNALS_VERIFICATION_INTERVAL: '0s',
  CHANCERY_GLOBAL_REVOCATION_TOKEN_SHA256: sha256(REVOCATION_TOKEN),
  CHANCERY_WEBFINGER_DOMAINS: PEOPLE,
  CHANCERY_FEDERATION_ENABLED: 'true',
  CHANCERY_FEDERATION_STATEMENT_CACHE: '0',
  CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
};

/**
 * @param environment further variables for both programs
 * @param otherProgram the `chancery.ts` of another checkout
 */
export async function openWorld(
  environment: Readonly<Record<string, string>> = {},
  otherProgram?: string,
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-steps-'));
  const authorities = await startAuthorities();
  const anchor = authorities.entity('anchor');
  anchor.publish([]);
  const samlKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { cert } = certificateAuthority().issue({ keys: samlKeys });
  const jwtKey = testKey('ES256', 'idp');
  const common = { issuer: IDP, 'subject-prefix': 'idp:', scope: ['read'] };
  const settings = {
    ...SETTINGS,
    CHANCERY_ASSERTION_GRANTS_ISSUERS: JSON.stringify([
      { ...common, kind: 'jwt', jwks: { keys: [jwtKey.jwk] } },
      { ...common, kind: 'saml', certificates: [cert] },
    ]),
    CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
      { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
    ]),
    ...environment,
  };
  const checkout = otherProgram === undefined ? {} : { program: otherProgram };
  const program = await startProgram({
    ...checkout,
    mode: 'dev',
    environment: { ...settings, TEST_LONGEST_STEP_FILE: join(folder, 'program') },
  });
  const external = await startProgram({
    ...checkout,
    mode: 'dev',
    environment: {
      ...settings,
      CHANCERY_SIGN_IN_EXTERNAL_URL: 'http://localhost:9/',
      CHANCERY_SIGN_IN_TOKEN_SHA256: sha256(EXTERNAL_TOKEN),
      TEST_LONGEST_STEP_FILE: join(folder, 'external'),
    },
  });
  const key = testKey('ES256', 'last');
  const registered = await registrations(program, key);
  const world = {
    folder,
    program,
    external,
    authorities,
    anchor,
    samlKey: { algorithm: 'ES256', ...samlKeys },
    jwtKey,
    key,
    ...registered,
    hint: await idTokenOf(program, registered.native),
    receiver: await aReceiver(program),
  } as const;
  return {
    ...world,
    async close() {
      await Promise.all([program.stop(), external.stop(), authorities.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Distinct scope values that fill a body. */
export const SCOPE = Array.from({ length: 11_000 }, (_, index) => index.toString(36)).join(' ');

/** As many of them as a client may register. */
const REGISTERED_SCOPE = SCOPE.slice(0, SCOPE.lastIndexOf(' ', 4_000));

/** The longest keys that a client may register. Their signatures take longest too. */
function heavyKeys(): readonly object[] {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
  const jwk = publicKey.export({ format: 'jwk' });
  return Array.from({ length: 19 }, () => ({ ...jwk, use: 'sig' }));
}

async function registrations(
  program: Program,
  key: TestKey,
): Promise<Pick<World, 'wide' | 'keyed' | 'native'>> {
  const common = { redirect_uris: [CALLBACK], grant_types: ['authorization_code', 'client_credentials'] };
  return {
    wide: await register(program, {
      grant_types: ['client_credentials', JWT_BEARER, SAML2_BEARER, 'password'],
      scope: `${program.issuer}/token/introspect ${REGISTERED_SCOPE}`,
    }),
    keyed: await register(program, {
      ...common,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [...heavyKeys(), key.jwk] },
    }),
    native: await register(program, LONG_NATIVE),
  };
}

async function idTokenOf({ url, directToken }: Program, { client_id }: Registered): Promise<string> {
  const answer = await fetch(`${url}/direct-authz/rest/v2`, {
    method: 'POST',
    headers: { authorization: `Bearer ${directToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, sub: 'alice', scope: ['openid'], id_token: { issue: true } }),
  });
  const { id_token } = (await answer.json()) as { id_token?: string };
  if (id_token === undefined) throw new Error('the direct authorisation gave no ID token');
  return id_token;
}

async function aReceiver(program: Program): Promise<Receiver> {
  const { access_token, send } = await streamClient(program);
  const { status, text, json } = await send(program, 'POST', '/streams', {});
  if (status !== 201) throw new Error(`the new stream answered ${text}`);
  return { access_token, stream_id: String(json['stream_id']) };
}

async function register({ url, masterToken }: Program, metadata: object): Promise<Registered> {
  const answer = await fetch(`${url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`registration answered ${text}`);
  return JSON.parse(text) as Registered;
}
