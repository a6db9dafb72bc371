import * as z from 'zod/mini';
import { flag, integer, maps, type Setting, seconds } from './setting.ts';
import { identifier, mapError, said } from './trusted-issuer.ts';

const NAMES_MAX = 100;

const names = (item: string, rule: string) =>
  z
    .array(identifier(item), said(rule))
    .check(
      z.minLength(1, said(`${rule}, at least one`)),
      z.maxLength(NAMES_MAX, said(`${rule}, at most ${NAMES_MAX}`)),
    );

const RULE = 'must be a list of maps with clients, and audiences or id-jag';

const scopeValues = () =>
  z.array(
    z
      .string(said('must be a scope value'))
      .check(z.regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/u, said('must be a scope value'))),
    said('must be a list of scope values'),
  );

const idJag = () =>
  z.strictObject(
    {
      audience: identifier('must be the issuer identifier of the other server'),
      'client-id': z.optional(identifier('must be a client_id')),
      resources: z.optional(names('must be a resource, without spaces', 'must be a list of resources')),
      scope: z.optional(scopeValues()),
    },
    mapError('must be a map with audience'),
  );

const policy = () =>
  z
    .strictObject(
      {
        clients: names('must be a client_id', 'must be a list of client_id values'),
        audiences: z.optional(names('must be an audience, without spaces', 'must be a list of audiences')),
        'id-jag': z.optional(z.array(idJag(), said('must be a list of maps with audience'))),
        scope: z.optional(scopeValues()),
        'subject-clients': z.optional(names('must be a client_id', 'must be a list of client_id values')),
        'subject-issuers': z.optional(names('must be an issuer', 'must be a list of issuers')),
        actors: z.optional(names('must be a subject, without spaces', 'must be a list of subjects')),
        impersonation: z._default(z.boolean(said('must be true or false')), false),
        lifetime: z.optional(
          z.int(said('must be a number of seconds')).check(z.gte(1, said('must be at least 1'))),
        ),
      },
      mapError(RULE),
    )
    .check(
      z.refine(
        (one) => one.audiences !== undefined || one['id-jag'] !== undefined,
        said('must have audiences, id-jag or both'),
      ),
    );

const policies = () =>
  z.array(policy(), said(RULE)).check(
    z.refine((all) => {
      const clients = all.flatMap((one) => one.clients);
      return new Set(clients).size === clients.length;
    }, said('must not name a client twice')),
  );

/** One entry of the setting, as `chancery.yaml` holds it. */
export type ConfiguredExchangePolicy = z.infer<ReturnType<typeof policy>>;

/** Settings for the exchange of tokens (RFC 8693). */
export const TOKEN_EXCHANGE_SETTINGS = {
  'token-exchange.enabled': flag({
    tenants: 'own',
    default: false,
    description:
      'Whether clients may exchange tokens for others (RFC 8693), each within its policy. Off: registration drops the grant type, and discovery does not list it. In a cluster, switch it on after every server runs this version: an older one would not end exchanged tokens with what they come from.',
  }),
  'token-exchange.policies': maps<ConfiguredExchangePolicy>({
    tenants: 'own',
    default: [],
    items: 'policies',
    schema: policies,
    rule: RULE,
    description:
      'The exchanges that clients may make. A client without a policy may exchange none. `clients`: the clients that ask. `audiences`: the values of `audience` and `resource` that a new token may be for. `scope`: the values that it may have, out of those of the exchanged token (default: the registered scope of the client). `subject-clients`: the clients whose tokens may be exchanged (default: any; the token must in any case be the client’s own, or be for it). `subject-issuers`: the issuers of `assertion-grants.issuers` with the use `subject-token` whose JWTs may be exchanged (default: none). `actors`: the subjects that an `actor_token` may name (default: any token of the client itself). `impersonation`: whether a token without `actor_token` names no actor (default: false; it then names the client). `lifetime`: seconds. `id-jag`: other authorisation servers that the clients may get identity assertion grants for, each with `audience` (its issuer), `client-id` (the client there), `resources` and `scope`. A client with the member `chancery_token_exchange` has that policy instead. In an environment variable the value is JSON.',
  }),
  'token-exchange.id-jag-lifetime': seconds({
    tenants: 'inherited',
    default: 300,
    min: 10,
    max: 3600,
    description:
      'How long an identity assertion grant (ID-JAG) is good at the other authorisation server, at most until its ID token expires. It cannot be revoked.',
  }),
  'token-exchange.chain-max': integer({
    tenants: 'inherited',
    default: 8,
    min: 1,
    max: 50,
    unit: 'tokens',
    description:
      'The most tokens that one token may come from, one exchanged for the other. Tokens of actors count too. The end of one of them ends it.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
