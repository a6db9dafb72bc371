import { GRANT_TYPES, isGrantType } from '../spec/grant-types.ts';
import { choice, flag, list, type Setting } from './setting.ts';

const ALL_GRANT_TYPES = Object.keys(GRANT_TYPES).filter(isGrantType);

/** The profile, and the rules of authorisation that a profile can switch on. `PROFILES` says which. */
export const PROFILE_SETTINGS = {
  profile: choice({
    tenants: 'inherited',
    default: 'standard',
    values: ['standard', 'oauth-2.1', 'mcp'],
    description:
      'A group of settings for one purpose. `standard`: each setting has its own default. `oauth-2.1`: PKCE for every client, no implicit and password grants (RFC 9700). `mcp`: the same, for servers of the Model Context Protocol: clients register themselves within limits, and each access token names its `resource`. A setting that contradicts a rule of the profile stops the program. `chancery config print` shows what the profile set. The page docs/operate/profiles.md has a table.',
  }),

  'authorization.pkce': choice({
    tenants: 'inherited',
    default: 'public-clients',
    values: ['public-clients', 'all-clients'],
    description:
      'Which clients must send a `code_challenge` (RFC 7636) for an authorisation code. `public-clients`: those without credentials, and clients that registered `code_challenge_method`. `all-clients`: every client (RFC 9700 §2.1.1). The server checks a challenge whenever a client sends one. Set `all-clients` unless an old client cannot do it.',
  }),
  'authorization.grant-types': list({
    tenants: 'inherited',
    default: ALL_GRANT_TYPES,
    items: 'grant types',
    pattern: /^[a-z0-9:_-]{1,64}$/u,
    accepts: (grant) => isGrantType(grant),
    rule: `must be a list of grant types out of ${ALL_GRANT_TYPES.join(', ')}`,
    description:
      'The grant types that clients may register and use. Response types that need `implicit` stand and fall with it. Take out `implicit` and `password` unless an old client needs them (RFC 9700 §2.1.2 and §2.4). A registration that asks for more gets the rest.',
  }),
  'authorization.request-uri-by-reference': flag({
    tenants: 'inherited',
    default: false,
    defaultWords: '`false`; `true` in development',
    description:
      'Whether the server fetches request objects from the `request_uri` of authorisation requests (RFC 9101 §5.2, OpenID Connect Core 1.0 §6.2). It fetches only addresses that the client registered in `request_uris`, and accepts signed objects only. Off, it takes the `request_uri` of pushed requests (RFC 9126) alone, which need no fetch. Switch it on for clients that cannot push.',
  }),
  'authorization.offline-access': choice({
    tenants: 'inherited',
    default: 'registered',
    values: ['registered', 'when-asked'],
    description:
      'Which clients may ask for the scope value `offline_access`, with which a grant outlives the session of its end-user. `registered`: those whose registered scope has it. `when-asked`: every client of the grant type `refresh_token`, and a client that registers itself may name it in its `scope`. The end-user always consents first.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
