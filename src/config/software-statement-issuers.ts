import * as z from 'zod/mini';
import { maps } from './setting.ts';

const KEYS_MAX = 20;

const said = (error: string): { readonly error: string } => ({ error });

/** Whether a key is sound is found out at start; here a private one is refused, so that it is not shown anywhere. */
const publicKey = z
  .looseObject({ kty: z.string(said('must be a key type (RFC 7517 §4.1)')) }, said('must be a JWK'))
  .check(z.refine((key) => !('d' in key || 'k' in key), said('must not be a private or symmetric key')));

const jwks = z.strictObject(
  {
    keys: z
      .array(publicKey, said('must be a list of JWKs'))
      .check(
        z.minLength(1, said('must hold a key')),
        z.maxLength(KEYS_MAX, said(`must not hold more than ${KEYS_MAX} keys`)),
      ),
  },
  mapError('must be a JWK set'),
);

const identifier = (rule: string): z.ZodMiniString =>
  z.string(said(rule)).check(z.regex(/^[^\s\p{Cc}]{1,512}$/u, said(rule)));

const issuer = z
  .strictObject(
    {
      issuer: identifier('must be the iss of the statements, without spaces'),
      jwks: z.optional(jwks),
      'jwks-uri': z.optional(
        z
          .string(said('must be an http or https URL'))
          .check(z.regex(/^https?:\/\/[^\s#@]+$/u, said('must be an http or https URL'))),
      ),
      'authorises-registration': z._default(z.boolean(said('must be true or false')), false),
      'approved-software-ids': z.optional(
        z.array(
          identifier('must be a software_id, without spaces'),
          said('must be a list of software_id values'),
        ),
      ),
    },
    mapError('must be a map of issuer, jwks or jwks-uri, authorises-registration and approved-software-ids'),
  )
  .check(
    z.refine(
      (one) => (one.jwks === undefined) !== (one['jwks-uri'] === undefined),
      said('must have either jwks or jwks-uri'),
    ),
  );

const RULE =
  'must be a list of maps with issuer, jwks or jwks-uri, authorises-registration and approved-software-ids';

const issuers = z
  .array(issuer, said(RULE))
  .check(
    z.refine(
      (all) => new Set(all.map((one) => one.issuer)).size === all.length,
      said('must not name an issuer twice'),
    ),
  );

/** A key that is not known is named by the loader, with its path. */
function mapError(words: string): { error: (issue: { readonly code?: string }) => string | undefined } {
  return { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : words) };
}

/** As `chancery.yaml` has it. */
export type ConfiguredStatementIssuer = z.infer<typeof issuer>;

export const softwareStatementIssuers = maps<ConfiguredStatementIssuer>({
  default: [],
  items: 'issuers',
  schema: issuers,
  rule: RULE,
  description:
    'Who is trusted to make software statements (RFC 7591 §2.3), whose members go before those of the request: the `iss` of the statements; the public keys, as a JWK set or as the URL of one; whether a statement permits the registration by itself, for the grant types and scope values in it; and the `software_id` values that are approved (all when absent). Without any, software statements are ignored. In an environment variable it is JSON.',
});
