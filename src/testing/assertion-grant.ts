import { selfSigned } from '../../test/tls/certificate.ts';
import type { ConfiguredAssertionIssuer } from '../config/assertion-grant-settings.ts';
import { digestOf } from '../keys/digest.ts';
import type { Answer } from './exchange.ts';
import { signedJwt, testKey } from './jwt.ts';
import { assertionXml, encoded, type SamlParts, samlKey, signedXml } from './saml.ts';
import {
  type ClientInformation,
  ISSUER,
  START,
  type TestTenant,
  type TestTenantOptions,
  testTenant,
} from './tenant.ts';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const IDP = 'https://idp.example';
export const IDP_KEY = testKey('ES256', 'idp');

type Issuer<Kind> = Extract<ConfiguredAssertionIssuer, { readonly kind: Kind }>;

/** An issuer of JWTs, as `chancery.yaml` has it. */
export function jwtIssuer(changes: Partial<Issuer<'jwt'>> = {}): Issuer<'jwt'> {
  return {
    kind: 'jwt',
    issuer: IDP,
    jwks: { keys: [IDP_KEY.jwk] },
    algorithms: ['ES256'],
    'require-jti': true,
    'subject-prefix': 'idp:',
    scope: ['read', 'write'],
    ...changes,
  };
}

export const SAML2_BEARER = 'urn:ietf:params:oauth:grant-type:saml2-bearer';

export const SAML_KEY = samlKey('ES256');
const SAML_CERTIFICATE = selfSigned({ keys: SAML_KEY }).cert;

export const SAML_SITE = {
  issuer: 'urn:saml-idp',
  audience: ISSUER,
  recipient: `${ISSUER}/token`,
  now: START,
};

/** An issuer of SAML assertions, as `chancery.yaml` has it. */
export function samlIssuer(changes: Partial<Issuer<'saml'>> = {}): Issuer<'saml'> {
  return {
    kind: 'saml',
    issuer: SAML_SITE.issuer,
    scope: ['read', 'write'],
    'subject-prefix': 'saml:',
    certificates: [SAML_CERTIFICATE],
    ...changes,
  };
}

/** A SAML assertion of the identity provider, signed. */
export function samlAssertion(parts: SamlParts = {}): string {
  return encoded(signedXml(SAML_KEY, assertionXml(SAML_SITE, parts)));
}

/** A tenant that takes assertions of these issuers. */
export function grantTenant(
  issuers: readonly ConfiguredAssertionIssuer[] = [jwtIssuer()],
  { settings, ...options }: TestTenantOptions = {},
): TestTenant {
  return testTenant({ ...options, settings: { 'assertion-grants.issuers': [...issuers], ...settings } });
}

/** A client that may present assertions. */
export async function bearer(
  tenant: TestTenant,
  metadata: object = {},
  grant_type = JWT_BEARER,
): Promise<ClientInformation> {
  return await tenant.register({ grant_types: [grant_type], scope: 'read write admin', ...metadata });
}

let made = 0;

/** RFC 7523 §3, with a `jti` of its own each time. */
export function grantClaims(changes: object = {}): object {
  made += 1;
  const jti = digestOf(`grant ${made}`);
  return { iss: IDP, sub: 'alice', aud: ISSUER, exp: START + 60, iat: START, jti, ...changes };
}

/** A JWT of the identity provider. */
export function grantJwt(changes: object = {}, header: object = {}): string {
  return signedJwt(IDP_KEY, grantClaims(changes), header);
}

/** `POST /token` with an assertion. */
export async function present(
  tenant: TestTenant,
  { client_id, client_secret }: Pick<ClientInformation, 'client_id' | 'client_secret'>,
  assertion: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return await tenant.send('token', {
    basic: [client_id, client_secret],
    form: { grant_type: JWT_BEARER, assertion, ...form },
  });
}
