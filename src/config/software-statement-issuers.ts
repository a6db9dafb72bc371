import * as z from 'zod/mini';
import { maps } from './setting.ts';
import { identifier, jwks, jwksUri, mapError, said } from './trusted-issuer.ts';

const issuer = () =>
  z
    .strictObject(
      {
        issuer: identifier('must be the iss of the statements, without spaces'),
        jwks: z.optional(jwks()),
        'jwks-uri': z.optional(jwksUri()),
        'authorises-registration': z._default(z.boolean(said('must be true or false')), false),
        'approved-software-ids': z.optional(
          z.array(
            identifier('must be a software_id, without spaces'),
            said('must be a list of software_id values'),
          ),
        ),
      },
      mapError(
        'must be a map of issuer, jwks or jwks-uri, authorises-registration and approved-software-ids',
      ),
    )
    .check(
      z.refine(
        (one) => (one.jwks === undefined) !== (one['jwks-uri'] === undefined),
        said('must have either jwks or jwks-uri'),
      ),
    );

const RULE =
  'must be a list of maps with issuer, jwks or jwks-uri, authorises-registration and approved-software-ids';

const issuers = () =>
  z
    .array(issuer(), said(RULE))
    .check(
      z.refine(
        (all) => new Set(all.map((one) => one.issuer)).size === all.length,
        said('must not name an issuer twice'),
      ),
    );

/** One entry of the setting, as `chancery.yaml` holds it. */
export type ConfiguredStatementIssuer = z.infer<ReturnType<typeof issuer>>;

export const softwareStatementIssuers = maps<ConfiguredStatementIssuer>({
  default: [],
  tenants: 'own',
  items: 'issuers',
  schema: issuers,
  rule: RULE,
  description:
    'Trusted issuers of software statements (RFC 7591 §2.3). A statement’s members override those of the request. `issuer`: the `iss`. `jwks` or `jwks-uri`: the public keys. `authorises-registration`: whether a statement permits the registration without a token, for the grant types and scope in it. `approved-software-ids`: the accepted `software_id` values (default: all). Empty: the server ignores software statements. In an environment variable the value is JSON.',
});
