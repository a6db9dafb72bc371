import * as z from 'zod/mini';
import { type GrantType, isGrantType } from '../spec/grant-types.ts';
import { flag, integer, list, maps, type Setting, seconds, text } from './setting.ts';
import { jwks, mapError, said } from './trusted-issuer.ts';

const ENTITY_ID = /^https?:\/\/[^\s?#@]{1,2000}$/u;
const ENTITY_ID_RULE = 'must be an entity identifier: an https URL without query and fragment';
const ANCHORS_RULE = 'must be a list of maps with entity-id and jwks';

const anchor = z.strictObject(
  {
    'entity-id': z.string(said(ENTITY_ID_RULE)).check(z.regex(ENTITY_ID, said(ENTITY_ID_RULE))),
    jwks,
  },
  mapError('must be a map of entity-id and jwks'),
);

const anchors = z
  .array(anchor, said(ANCHORS_RULE))
  .check(
    z.refine(
      (all) => new Set(all.map((one) => one['entity-id'])).size === all.length,
      said('must not name a trust anchor twice'),
    ),
  );

/** As `chancery.yaml` has it. */
export type ConfiguredTrustAnchor = z.infer<typeof anchor>;

/** OpenID Federation 1.0. */
export const FEDERATION_SETTINGS = {
  'federation.enabled': flag({
    tenants: 'own',
    default: false,
    description:
      'Whether the server is an entity of a federation: it publishes its entity configuration, and relying parties may register themselves through a trust chain.',
  }),
  'federation.trust-anchors': maps<ConfiguredTrustAnchor>({
    tenants: 'own',
    default: [],
    items: 'trust anchors',
    schema: anchors,
    rule: ANCHORS_RULE,
    description:
      'Whom trust comes from, in the order in which they are preferred: the entity identifier, and the public federation keys as they were received by another way than the network. A chain ends in one of these keys or nowhere. In an environment variable it is JSON.',
  }),
  'federation.authority-hints': list({
    tenants: 'own',
    default: [],
    items: 'entity identifiers',
    pattern: ENTITY_ID,
    rule: 'must be a list of entity identifiers: https URLs without query and fragment',
    description: 'The immediate superiors of this server, for its own entity configuration (§3.1.2).',
  }),
  'federation.trust-marks': list({
    tenants: 'own',
    default: [],
    items: 'trust marks',
    pattern: /^[\w-]+\.[\w-]+\.[\w-]+$/u,
    rule: 'must be a list of trust marks, each a signed JWT',
    description: 'Trust marks that this server shows in its own entity configuration (§7).',
  }),
  'federation.required-trust-marks': list({
    tenants: 'own',
    default: [],
    items: 'types of trust marks',
    pattern: /^\S{1,2000}$/u,
    rule: 'must be a list of trust mark types',
    description:
      'Types of trust marks that a relying party must have, each issued as the trust anchor says (§7.3). Others are not looked at.',
  }),
  'federation.require-audience': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether registration requests of the type application/jose need an `aud`. The published configuration of a relying party has none, and whoever finds it could send it; requests of OpenID Federation 1.0 always need one.',
  }),
  'federation.organization-name': text({
    tenants: 'own',
    defaultWords: 'none',
    pattern: /^[^\p{Cc}]{1,200}$/u,
    rule: 'must be 1 to 200 characters without control characters',
    description: 'The name of whoever runs this server, for its own entity configuration (§5.2.2).',
  }) as Setting<string | undefined>,
  'federation.contacts': list({
    tenants: 'own',
    default: [],
    items: 'contacts',
    pattern: /^[^\p{Cc}]{1,200}$/u,
    rule: 'must be a list of contacts, such as e-mail addresses',
    description: 'Whom to ask about this server, for its own entity configuration (§5.2.2).',
  }),
  'federation.configuration-lifetime': seconds({
    tenants: 'inherited',
    default: 86_400,
    min: 600,
    max: 31_536_000,
    description:
      'How long this server’s own entity configuration is good: its `exp`. Superiors and relying parties may keep it so long.',
  }),
  'federation.explicit-client-lifetime': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 31_536_000,
    description:
      'How long an explicitly registered client lives, if its trust chain lives that long; 0 = as long as the chain (§12.2.6).',
  }),
  'federation.automatic-registration': flag({
    tenants: 'inherited',
    default: true,
    description:
      'Whether an entity of the federation is a client without registering first: its identifier is its client_id, and it signs its requests or pushes them (§12.1). Has an effect with federation.enabled.',
  }),
  'federation.automatic-client-lifetime': seconds({
    tenants: 'inherited',
    default: 3600,
    min: 0,
    max: 31_536_000,
    description:
      'How long an automatically registered client is used without looking at its entity again, if its trust chain lives that long; 0 = as long as the chain.',
  }),
  'federation.grant-types': list({
    tenants: 'inherited',
    default: ['authorization_code', 'implicit', 'refresh_token'],
    items: 'grant types',
    pattern: /^\S{1,100}$/u,
    accepts: isGrantType,
    rule: 'must be a list of grant types that a client can be registered for',
    description:
      'What a federated client may be registered for. That a chain leads to a trust anchor says who somebody is; `client_credentials` would let them act for themselves as well.',
  }) as Setting<readonly GrantType[]>,
  'federation.scope-values': list({
    tenants: 'inherited',
    default: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
    items: 'scope values',
    pattern: /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/u,
    rule: 'must be a list of scope values',
    description:
      'Values that the `scope` of a federated client may hold. The address of the introspection endpoint would let it ask about the tokens of others.',
  }),
  'federation.registrations': integer({
    tenants: 'inherited',
    default: 32,
    min: 1,
    max: 10_000,
    unit: 'registrations',
    description:
      'How many explicit registrations may be under way at once; more are 429. Each may have to wait for the servers of others.',
  }),
  'federation.request-age': seconds({
    tenants: 'inherited',
    default: 600,
    min: 10,
    max: 31_536_000,
    description: 'How long ago a registration request may have been made (`iat`).',
  }),
  'federation.request-lifetime': seconds({
    tenants: 'inherited',
    default: 2_592_000,
    min: 60,
    max: 31_536_000,
    description: 'How far ahead a registration request may expire (`exp`).',
  }),
  'federation.hints': integer({
    tenants: 'inherited',
    default: 5,
    min: 1,
    max: 100,
    unit: 'hints',
    description: 'How many of an entity’s authority_hints are followed.',
  }),
  'federation.fetches': integer({
    tenants: 'inherited',
    default: 20,
    min: 3,
    max: 1000,
    unit: 'fetches',
    description: 'How many statements one resolution may fetch.',
  }),
  'federation.depth': integer({
    tenants: 'inherited',
    default: 5,
    min: 1,
    max: 20,
    unit: 'superiors',
    description: 'How many superiors a chain may have, its trust anchor included.',
  }),
  'federation.bytes': integer({
    tenants: 'inherited',
    default: 524_288,
    min: 16_384,
    max: 67_108_864,
    unit: 'bytes',
    description: 'How large the statements of one resolution may be together.',
  }),
  'federation.timeout': seconds({
    tenants: 'inherited',
    default: 10,
    min: 1,
    max: 60,
    description: 'The time one resolution may take.',
  }),
  'federation.statement-length': integer({
    tenants: 'inherited',
    default: 65_536,
    min: 4096,
    max: 1_048_576,
    unit: 'characters',
    description: 'The longest entity statement.',
  }),
  'federation.statement-keys': integer({
    tenants: 'inherited',
    default: 16,
    min: 1,
    max: 100,
    unit: 'keys',
    description: 'How many federation keys an entity may have.',
  }),
  'federation.statement-cache': seconds({
    tenants: 'inherited',
    default: 60,
    min: 0,
    max: 3600,
    description:
      'How long a fetched statement is used without asking again; so long may it take until a superior’s word is heard.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
