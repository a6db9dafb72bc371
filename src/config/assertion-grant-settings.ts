import * as z from 'zod/mini';
import { isRegistrationScope } from '../spec/registration-privileges.ts';
import { SIGNING_ALGORITHMS, XML_SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { integer, maps, type Setting, seconds } from './setting.ts';
import { identifier, jwks, jwksUri, mapError, said } from './trusted-issuer.ts';

const CERTIFICATES_MAX = 10;

/** Uses of the JWTs of an issuer. */
const ISSUER_USES = ['grant', 'subject-token', 'actor-token', 'id-jag'] as const;

/** Claims and members of introspection that the server makes itself. */
const OWN_CLAIMS: ReadonlySet<string> = new Set(
  'iss sub aud exp nbf iat jti scope client_id cnf act may_act active token_type username clm cld dat sid azp __proto__'.split(
    ' ',
  ),
);

const SCOPE_VALUE = 'must be a scope value, without spaces, quotes and backslashes';

const words = (rule: string): z.ZodMiniString =>
  z.string(said(rule)).check(z.regex(/^[^\p{Cc}]{1,255}$/u, said(rule)));

const list = <Item extends z.ZodMiniType>(item: Item, rule: string) =>
  z.array(item, said(rule)).check(z.minLength(1, said(`${rule}, at least one`)));

/** Members that JWT and SAML issuers share. */
const common = () => ({
  issuer: identifier('must be the issuer of the assertions, without spaces'),
  'subject-from': z.optional(words('must be the name of a claim or of a SAML attribute')),
  'subject-prefix': z.optional(
    z
      .string(said('must be a text of at most 128 characters'))
      .check(
        z.regex(/^[^\s\p{Cc}]{0,128}$/u, said('must be a text of at most 128 characters, without spaces')),
      ),
  ),
  subjects: z.optional(list(words('must be a subject'), 'must be a list of subjects')),
  scope: list(
    z.string(said(SCOPE_VALUE)).check(
      z.regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/u, said(SCOPE_VALUE)),
      z.refine((value) => !isRegistrationScope(value), said('must not be a scope of client registration')),
    ),
    'must be a list of scope values',
  ),
  clients: z.optional(list(identifier('must be a client_id'), 'must be a list of client_id values')),
  audiences: z.optional(
    list(identifier('must be an audience, without spaces'), 'must be a list of audiences'),
  ),
});

const jwtIssuer = () =>
  z
    .strictObject(
      {
        ...common(),
        kind: z.literal('jwt'),
        jwks: z.optional(jwks()),
        'jwks-uri': z.optional(jwksUri()),
        algorithms: z.optional(
          list(
            z.enum(SIGNING_ALGORITHMS, said('must be a signature algorithm of JWTs')),
            'must be a list of algorithms',
          ),
        ),
        'require-jti': z._default(z.boolean(said('must be true or false')), true),
        uses: z.optional(
          list(
            z.enum(ISSUER_USES, said(`must be one of ${ISSUER_USES.join(', ')}`)),
            `must be a list out of ${ISSUER_USES.join(', ')}`,
          ),
        ),
        claims: z.optional(
          z
            .record(z.string(), words('must be the name of a claim'), said('must be a map of claim names'))
            .check(
              z.refine(
                (claims) => !Object.keys(claims).some((name) => OWN_CLAIMS.has(name)),
                said(`must not name a claim of the server: ${[...OWN_CLAIMS].join(', ')}`),
              ),
            ),
        ),
      },
      mapError('must be a map for kind jwt'),
    )
    .check(
      z.refine(
        (one) => (one.jwks === undefined) !== (one['jwks-uri'] === undefined),
        said('must have either jwks or jwks-uri'),
      ),
    );

const samlIssuer = () =>
  z.strictObject(
    {
      ...common(),
      kind: z.literal('saml'),
      certificates: list(
        z
          .string(said('must be a certificate in PEM'))
          .check(
            z.regex(
              /^\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*$/u,
              said('must be a certificate in PEM'),
            ),
          ),
        'must be a list of certificates in PEM',
      ).check(
        z.maxLength(CERTIFICATES_MAX, said(`must not hold more than ${CERTIFICATES_MAX} certificates`)),
      ),
      algorithms: z.optional(
        list(
          z.enum(XML_SIGNING_ALGORITHMS, said('must be a signature algorithm of SAML assertions')),
          'must be a list of algorithms',
        ),
      ),
    },
    mapError('must be a map for kind saml'),
  );

const issuer = () =>
  z
    .discriminatedUnion('kind', [jwtIssuer(), samlIssuer()], said('must be a map with kind jwt or saml'))
    .check(
      z.refine(
        (one) => one['subject-prefix'] !== undefined || one.subjects !== undefined,
        said(
          'must have subject-prefix, subjects or both, so that its subjects cannot be mistaken for others',
        ),
      ),
    );

const RULE = 'must be a list of maps with issuer, kind, keys, subjects or subject-prefix, and scope';

const issuers = () =>
  z.array(issuer(), said(RULE)).check(
    z.refine(
      (all) => new Set(all.map((one) => `${one.kind} ${one.issuer}`)).size === all.length,
      said('must not name an issuer twice'),
    ),
    z.refine(
      (all) => !someCanBeMistaken(all),
      said(
        'must not have a subject-prefix that begins the prefix of another issuer: it could name the other issuer’s subjects',
      ),
    ),
  );

/** Returns whether an issuer without a list of subjects could form a subject of another issuer from its own prefix. */
function someCanBeMistaken(all: readonly ConfiguredAssertionIssuer[]): boolean {
  const open = all.filter((one) => one.subjects === undefined);
  return open.some((one) =>
    all.some(
      (other) =>
        other.issuer !== one.issuer &&
        reachable(other).some((sub) => sub.startsWith(one['subject-prefix'] ?? '')),
    ),
  );
}

/** Returns the subjects of an issuer, or the prefix that all of them begin with. */
function reachable({
  subjects,
  'subject-prefix': prefix = '',
}: ConfiguredAssertionIssuer): readonly string[] {
  return subjects === undefined ? [prefix] : subjects.map((subject) => prefix + subject);
}

/** One entry of the setting, as `chancery.yaml` holds it. */
export type ConfiguredAssertionIssuer = z.infer<ReturnType<typeof issuer>>;

/** Settings for assertions as authorisation grants (RFC 7521 §4.1). */
export const ASSERTION_GRANT_SETTINGS = {
  'assertion-grants.issuers': maps<ConfiguredAssertionIssuer>({
    tenants: 'own',
    default: [],
    items: 'issuers',
    schema: issuers,
    rule: RULE,
    description:
      'Issuers whose assertions the server accepts as grants: JWTs (RFC 7523) or SAML 2.0 assertions (RFC 7522). `issuer`: the `iss` or `Issuer`. `kind`: `jwt` with `jwks` or `jwks-uri`, or `saml` with `certificates` in PEM. `algorithms`: the accepted signature algorithms (default: all supported). `subject-from`: the claim or SAML attribute with the subject (default: `sub` or `NameID`). `subject-prefix`: text put before it to form the token’s `sub`. `subjects`: the only subjects it may name. `scope`: the values it may grant. `clients`: the clients that may present its assertions (default: all registered for the grant). `audiences`: additional names of this server. `require-jti`: whether to refuse a JWT without `jti` (default: true). `uses`: what its JWTs are good for, out of `grant`, `subject-token` and `actor-token` (RFC 8693), and `id-jag` (identity assertion grants; default: `grant`). `claims`: claims of an exchanged token, each with the claim of the JWT that it comes from. Discovery offers a grant when an issuer of its kind is configured. In an environment variable the value is JSON.',
  }),
  'assertion-grants.assertion-length': integer({
    tenants: 'inherited',
    default: 32_768,
    min: 1024,
    max: 1_048_576,
    unit: 'characters',
    description: 'The maximum length of a SAML assertion in base64url. JWTs are limited to 8192 characters.',
  }),
  'assertion-grants.lifetime-max': seconds({
    tenants: 'inherited',
    default: 3600,
    min: 60,
    max: 86_400,
    description:
      'The maximum time until an assertion expires. The server remembers each assertion for that time and accepts it once.',
  }),
  'assertion-grants.clock-skew': seconds({
    tenants: 'inherited',
    default: 60,
    min: 0,
    max: 300,
    description: 'The tolerated difference between the clocks of assertion issuers and of this server.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
