import * as z from 'zod/mini';
import { type GrantType, isGrantType } from '../spec/grant-types.ts';
import { choice, flag, integer, list, maps, type Setting, seconds, text } from './setting.ts';
import { jwks, mapError, said } from './trusted-issuer.ts';

const ENTITY_ID = /^https?:\/\/[^\s?#@]{1,2000}$/u;
const ENTITY_ID_RULE = 'must be an entity identifier: an https URL without query and fragment';
/** RFC 5280 §4.2.1.10: a host, or a domain that begins with a period. */
const CONSTRAINED_NAME = /^\.?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/u;
const NAMES_RULE = 'must be a list of hosts such as rp.example, and of domains such as .example';
const ANCHORS_RULE = 'must be a list of maps with entity-id and jwks';

const anchor = () =>
  z.strictObject(
    {
      'entity-id': z.string(said(ENTITY_ID_RULE)).check(z.regex(ENTITY_ID, said(ENTITY_ID_RULE))),
      jwks: jwks(),
    },
    mapError('must be a map of entity-id and jwks'),
  );

const anchors = () =>
  z
    .array(anchor(), said(ANCHORS_RULE))
    .check(
      z.refine(
        (all) => new Set(all.map((one) => one['entity-id'])).size === all.length,
        said('must not name a trust anchor twice'),
      ),
    );

/** One entry of the setting, as `chancery.yaml` holds it. */
export type ConfiguredTrustAnchor = z.infer<ReturnType<typeof anchor>>;

/** Settings for OpenID Federation 1.0. */
export const FEDERATION_SETTINGS = {
  'federation.enabled': flag({
    tenants: 'own',
    default: false,
    description:
      'Whether the server is an entity of a federation. It then publishes its entity configuration, and relying parties can register through a trust chain.',
  }),
  'federation.trust-anchors': maps<ConfiguredTrustAnchor>({
    tenants: 'own',
    default: [],
    items: 'trust anchors',
    schema: anchors,
    rule: ANCHORS_RULE,
    description:
      'Trust anchors in order of preference: the entity identifier and the public federation keys, obtained outside the network. Every trust chain must end in one of these keys. In an environment variable the value is JSON.',
  }),
  'federation.follow-trust-anchor-keys': flag({
    tenants: 'own',
    default: false,
    description:
      'Whether the server trusts new keys of a trust anchor without an operator, and stops trusting keys that the anchor no longer publishes (OpenID Federation 1.0 §11.2). A trusted key must sign the configuration that announces them for all of `federation.trust-anchor-key-delay`. When false, the server warns, and `chancery federation trust-anchors accept` takes the keys.',
  }),
  'federation.trust-anchor-key-delay': seconds({
    tenants: 'inherited',
    default: 604_800,
    min: 0,
    max: 31_536_000,
    description:
      'How long a trust anchor must announce a key, or publish its configuration without one, before `federation.follow-trust-anchor-keys` takes effect. This is the time in which the anchor can notice and undo an announcement that a thief made. Set it shorter than the anchor publishes both keys.',
  }),
  'federation.authority-hints': list({
    tenants: 'own',
    default: [],
    items: 'entity identifiers',
    pattern: ENTITY_ID,
    rule: 'must be a list of entity identifiers: https URLs without query and fragment',
    description:
      'The immediate superiors of this server, for its entity configuration (OpenID Federation 1.0 §3.1.2).',
  }),
  'federation.trust-marks': list({
    tenants: 'own',
    default: [],
    items: 'trust marks',
    pattern: /^[\w-]+\.[\w-]+\.[\w-]+$/u,
    rule: 'must be a list of trust marks, each a signed JWT',
    description:
      'Trust marks that this server publishes in its entity configuration (OpenID Federation 1.0 §7).',
  }),
  'federation.required-trust-marks': list({
    tenants: 'own',
    default: [],
    items: 'types of trust marks',
    pattern: /^\S{1,2000}$/u,
    rule: 'must be a list of trust mark types',
    description:
      'Trust mark types that a relying party must have, each issued under the rules of the trust anchor (OpenID Federation 1.0 §7.3). The server ignores other types. Empty: none is required.',
  }),
  'federation.trust-mark-status': choice({
    tenants: 'own',
    default: 'without-expiry',
    values: ['never', 'without-expiry', 'always'],
    description:
      'The required trust marks whose status the server asks their issuer for (OpenID Federation 1.0 §8.4). `without-expiry`: marks without `exp`, if their issuer publishes a federation_trust_mark_status_endpoint. `always`: every mark, and an issuer without an endpoint counts as one that gives no answer. `never`: a revoked mark counts until it expires.',
  }),
  'federation.trust-mark-status-unknown': choice({
    tenants: 'own',
    default: 'refuse',
    values: ['refuse', 'accept'],
    description:
      'The fate of a relying party whose trust mark has no known status, because its issuer is away or answers wrongly. `refuse`: 503 with Retry-After while the issuer gives no answer. `accept`: the mark counts, so that an outage of the issuer stops no registration, and neither does a revocation meanwhile.',
  }),
  'federation.trust-mark-status-cache': seconds({
    tenants: 'inherited',
    default: 300,
    min: 0,
    max: 86_400,
    description:
      'How long the server reuses the status of a trust mark. A revocation takes effect after at most this time, at the next registration or renewal. 0 = ask each time.',
  }),
  'federation.max-path-length': integer({
    tenants: 'own',
    default: 20,
    min: 0,
    max: 20,
    unit: 'intermediates',
    description:
      'The maximum number of intermediates between a trust anchor and a relying party, as a constraint of this server above those of the federation (OpenID Federation 1.0 §6.2.1). 0 = only members that the anchor vouches for itself.',
  }),
  'federation.permitted-names': list({
    tenants: 'own',
    default: [],
    items: 'hosts and domains',
    pattern: CONSTRAINED_NAME,
    rule: NAMES_RULE,
    description:
      'Hosts, and domains that begin with a period, to which every entity of a chain below the trust anchor must belong (OpenID Federation 1.0 §6.2.2). Empty: every name is permitted.',
  }),
  'federation.excluded-names': list({
    tenants: 'own',
    default: [],
    items: 'hosts and domains',
    pattern: CONSTRAINED_NAME,
    rule: NAMES_RULE,
    description:
      'Hosts, and domains that begin with a period, to which no entity of a chain below the trust anchor may belong. They count more than `federation.permitted-names`.',
  }),
  'federation.required-entity-types': list({
    tenants: 'own',
    default: [],
    items: 'entity types',
    pattern: /^[\w.-]{1,100}$/u,
    rule: 'must be a list of entity types such as federation_entity',
    description:
      'Entity types that the resolved metadata of a relying party must have beside openid_relying_party (OpenID Federation 1.0 §6.2.3). Empty: none.',
  }),
  'federation.require-audience': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether registration requests of the type application/jose need an `aud`. A relying party’s published configuration has none, so anyone could replay it: set true if all relying parties send `aud`. Requests of OpenID Federation 1.0 always need it.',
  }),
  'federation.organization-name': text({
    tenants: 'own',
    defaultWords: 'none',
    pattern: /^[^\p{Cc}]{1,200}$/u,
    rule: 'must be 1 to 200 characters without control characters',
    description:
      'The name of the organisation that operates this server, for its entity configuration (OpenID Federation 1.0 §5.2.2).',
  }) as Setting<string | undefined>,
  'federation.contacts': list({
    tenants: 'own',
    default: [],
    items: 'contacts',
    pattern: /^[^\p{Cc}]{1,200}$/u,
    rule: 'must be a list of contacts, such as e-mail addresses',
    description: 'Contacts for this server, for its entity configuration (OpenID Federation 1.0 §5.2.2).',
  }),
  'federation.configuration-lifetime': seconds({
    tenants: 'inherited',
    default: 86_400,
    min: 600,
    max: 31_536_000,
    description:
      'The lifetime (`exp`) of this server’s entity configuration. Superiors and relying parties may cache it for that long.',
  }),
  'federation.explicit-client-lifetime': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 31_536_000,
    description:
      'The maximum lifetime of an explicitly registered client. The client never outlives its trust chain (OpenID Federation 1.0 §12.2.6). 0 = as long as the chain.',
  }),
  'federation.automatic-registration': flag({
    tenants: 'inherited',
    default: true,
    description:
      'Whether an entity of the federation can act as a client without prior registration. Its identifier is its client_id, and it signs or pushes its requests (OpenID Federation 1.0 §12.1). Needs `federation.enabled`.',
  }),
  'federation.automatic-client-lifetime': seconds({
    tenants: 'inherited',
    default: 3600,
    min: 0,
    max: 31_536_000,
    description:
      'How long the server uses an automatically registered client before it resolves the entity again, in the background. The client lives as long as its trust chain. 0 = as long as the chain. Set it shorter if changes of metadata must take effect sooner.',
  }),
  'federation.expired-client-retention': seconds({
    tenants: 'inherited',
    default: 604_800,
    min: 0,
    max: 31_536_000,
    description:
      'How long a federated client is kept after its registration has expired. If it appears in that time, the server resolves it again. A client that holds grants is kept as long as these.',
  }),
  'federation.look-interval': seconds({
    tenants: 'inherited',
    default: 10,
    min: 1,
    max: 3600,
    description:
      'The shortest time between two looks at one entity that unknown keys cause, or requests of a client whose registration has expired. Set it longer if forged requests make the server fetch too much.',
  }),
  'federation.renewals': integer({
    default: 8,
    min: 1,
    max: 1000,
    unit: 'renewals',
    description:
      'The maximum number of federated clients of one tenant that a process renews at once in the background.',
  }),
  'federation.renewal-interval': seconds({
    default: 10,
    min: 1,
    max: 3600,
    description:
      'The time between two rounds in which the server renews federated clients that are due and in use.',
  }),
  'federation.grant-types': list({
    tenants: 'inherited',
    default: ['authorization_code', 'implicit', 'refresh_token'],
    items: 'grant types',
    pattern: /^\S{1,100}$/u,
    accepts: isGrantType,
    rule: 'must be a list of grant types that a client can be registered for',
    description:
      'Grant types that a federated client may register. A trust chain proves who the entity is; `client_credentials` would also let it act on its own behalf.',
  }) as Setting<readonly GrantType[]>,
  'federation.scope-values': list({
    tenants: 'inherited',
    default: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
    items: 'scope values',
    pattern: /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/u,
    rule: 'must be a list of scope values',
    description:
      'Scope values that a federated client may register. Do not add the address of the introspection endpoint: it would let the client inspect tokens of others.',
  }),
  'federation.registrations': integer({
    tenants: 'inherited',
    default: 32,
    min: 1,
    max: 10_000,
    unit: 'registrations',
    description:
      'The maximum number of concurrent explicit registrations, and of automatic ones. One network gets half of them, so that others find room. Further explicit requests get 429, automatic ones 503. Each may wait for other servers.',
  }),
  'federation.request-age': seconds({
    tenants: 'inherited',
    default: 600,
    min: 10,
    max: 31_536_000,
    description: 'The maximum age (`iat`) of a registration request.',
  }),
  'federation.request-lifetime': seconds({
    tenants: 'inherited',
    default: 2_592_000,
    min: 60,
    max: 31_536_000,
    description: 'The maximum time until a registration request expires (`exp`).',
  }),
  'federation.request-object-lifetime': seconds({
    tenants: 'inherited',
    default: 3600,
    min: 60,
    max: 86_400,
    description:
      'The maximum time until a request object of an automatically registered client expires (`exp`). The server remembers its `jti` for that long, so that it is used once (OpenID Federation 1.0 §12.1.1.1).',
  }),
  'federation.hints': integer({
    tenants: 'inherited',
    default: 5,
    min: 1,
    max: 100,
    unit: 'hints',
    description: 'The maximum number of authority_hints of an entity that the server follows.',
  }),
  'federation.fetches': integer({
    tenants: 'inherited',
    default: 20,
    min: 3,
    max: 1000,
    unit: 'fetches',
    description: 'The maximum number of statements that one trust resolution fetches.',
  }),
  'federation.depth': integer({
    tenants: 'inherited',
    default: 5,
    min: 1,
    max: 20,
    unit: 'superiors',
    description: 'The maximum number of superiors in a trust chain, trust anchor included.',
  }),
  'federation.bytes': integer({
    tenants: 'inherited',
    default: 524_288,
    min: 16_384,
    max: 67_108_864,
    unit: 'bytes',
    description: 'The maximum size of all statements of one trust resolution together.',
  }),
  'federation.timeout': seconds({
    tenants: 'inherited',
    default: 10,
    min: 1,
    max: 60,
    description: 'The time limit of one trust resolution.',
  }),
  'federation.statement-length': integer({
    tenants: 'inherited',
    default: 65_536,
    min: 4096,
    max: 1_048_576,
    unit: 'characters',
    description: 'The maximum length of an entity statement.',
  }),
  'federation.statement-keys': integer({
    tenants: 'inherited',
    default: 16,
    min: 1,
    max: 100,
    unit: 'keys',
    description: 'The maximum number of federation keys of an entity.',
  }),
  'federation.statement-cache': seconds({
    tenants: 'inherited',
    default: 60,
    min: 0,
    max: 3600,
    description:
      'How long the server reuses a fetched statement. A change by a superior takes effect after at most this time.',
  }),
  'federation.failure-cache': seconds({
    tenants: 'inherited',
    default: 5,
    min: 0,
    max: 3600,
    description:
      'How long the server does not ask again for a statement that it could not get. Requests that need the statement get 503 with Retry-After meanwhile, so that an entity that has just enrolled waits no longer than this. 0 = ask each time.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
