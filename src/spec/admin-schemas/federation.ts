import { closed, FLAG, OBJECT, type Schema, SECONDS, said, TEXT, TEXTS } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const MEMBER = {
  client_id: TEXT,
  client_name: said('Null for a client without a name.', { type: ['string', 'null'] }),
  entity_id: TEXT,
  registration: said('OpenID Federation 1.0 §12.1, §12.2.', { enum: ['explicit', 'automatic'] }),
  state: { enum: ['active', 'expired'] },
  trust_anchor: TEXT,
  trust_chain: said('Entity identifiers: that of the member first, that of the trust anchor last.', TEXTS),
  expires_at: said('The end of the registration.', TIME_OR_NEVER),
  trust_chain_expires_at: TIME_OR_NEVER,
  resolved_at: said('The last time that the member was resolved.', TIME_OR_NEVER),
  trust_marks: said('The types of its trust marks.', TEXTS),
  verified_trust_marks: said('Those that this server requires, and has verified.', TEXTS),
  failure: said('The last attempt to resolve the member again, if it failed; otherwise null.', {
    anyOf: [closed({ at: TIME, reason: TEXT, words: TEXT }), { type: 'null' }],
  }),
} as const satisfies Readonly<Record<string, Schema>>;

const EXPIRY = said('Seconds since the Unix epoch.', SECONDS);
const REASON = { $ref: '#/components/schemas/AdminFederationReason' } as const satisfies Schema;
const CHECKS: Schema = { type: 'array', items: { $ref: '#/components/schemas/AdminFederationCheck' } };
const STATEMENT = { $ref: '#/components/schemas/AdminFederationStatement' } as const satisfies Schema;
const ANYTHING: Schema = {};

/** A search for a trust chain, in the form of `chancery federation resolve --json`. */
const SEARCH_SCHEMAS = {
  AdminFederationReason: said(
    'Why something failed.',
    closed(
      {
        code: said('A code of docs/federation.md.', TEXT),
        words: TEXT,
        detail: said('For operators.', TEXT),
        retryAfter: said('Seconds until a retry: nothing is known about the trust now.', SECONDS),
      },
      ['code', 'words'],
    ),
  ),
  AdminFederationCheck: said(
    'A numbered rule of a section, and why it failed. Without a reason it holds.',
    closed({ section: TEXT, number: { type: 'integer', minimum: 0 }, name: TEXT, reason: REASON }, [
      'section',
      'number',
      'name',
    ]),
  ),
  AdminFederationStatement: said(
    'An entity statement, and its checks up to the first that failed. Its claims are absent unless all hold.',
    closed(
      {
        kind: { enum: ['configuration', 'subordinate', 'request'] },
        source: said('The address that it came from.', TEXT),
        issuer: TEXT,
        subject: TEXT,
        issued_at: EXPIRY,
        expires_at: EXPIRY,
        kid: said('The `kid` of the key that signed it.', TEXT),
        key_ids: said('The `kid` of each federation key of its subject.', TEXTS),
        checks: CHECKS,
        reason: REASON,
      },
      ['kind', 'source', 'checks'],
    ),
  ),
  AdminFederationPath: said(
    'A complete path to a trust anchor, with its checks and the policy operators that ran.',
    closed(
      {
        trust_anchor: TEXT,
        entities: said('From the subject to the trust anchor.', TEXTS),
        expires_at: EXPIRY,
        checks: CHECKS,
        policy: {
          type: 'array',
          items: closed(
            {
              entity_type: TEXT,
              parameter: TEXT,
              operator: TEXT,
              configured: ANYTHING,
              before: said('Absent for an absent parameter.', ANYTHING),
              after: said('Absent for an absent parameter.', ANYTHING),
              issuers: said('The entities whose policies have the operator.', TEXTS),
              problem: said('Why the operator failed.', TEXT),
            },
            ['entity_type', 'parameter', 'operator', 'configured'],
          ),
        },
        ignored_operators: {
          type: 'array',
          items: closed({ entity_type: TEXT, parameter: TEXT, operator: TEXT }),
        },
        reason: REASON,
      },
      ['trust_anchor', 'entities', 'expires_at', 'checks', 'policy', 'ignored_operators'],
    ),
  ),
  AdminFederationEntity: said(
    'An entity that the search reached, with the superiors that it names.',
    closed(
      {
        entity_id: TEXT,
        is_trust_anchor: FLAG,
        configuration: STATEMENT,
        statement: said('The statement of this entity about the one below it.', STATEMENT),
        reason: said('Why the path ends here.', REASON),
        chain: { $ref: '#/components/schemas/AdminFederationPath' },
        superiors: { type: 'array', items: { $ref: '#/components/schemas/AdminFederationEntity' } },
      },
      ['entity_id', 'is_trust_anchor', 'superiors'],
    ),
  ),
} as const satisfies Readonly<Record<string, Schema>>;

/** The federation in the administration API. */
export const ADMIN_FEDERATION_SCHEMAS = {
  ...SEARCH_SCHEMAS,
  AdminFederationMember: said('A client that a federation vouches for.', closed(MEMBER)),
  AdminFederationRefresh: said(
    'How the resolution of each client of an entity ended.',
    closed({
      outcomes: {
        type: 'array',
        items: closed(
          {
            client_id: TEXT,
            renewed: { type: 'boolean' },
            expires_at: TIME_OR_NEVER,
            changed: said('The members of its metadata that changed.', TEXTS),
            error: said('The client could not be renewed, and stays as it is.', TEXT),
            error_description: TEXT,
          },
          ['client_id', 'renewed', 'expires_at'],
        ),
      },
    }),
  ),
  AdminResolutionRequest: closed(
    {
      entity_id: said('An entity identifier, a URL.', TEXT),
      trust_anchor: said('Use only this trust anchor of the settings.', TEXT),
    },
    ['entity_id'],
  ),
  AdminResolution: said(
    'A search for a trust chain: every statement with its checks, and the outcome.',
    closed(
      {
        subject: TEXT,
        chain: said('Null without a chain.', {
          anyOf: [
            closed({
              trust_anchor: TEXT,
              immediate_superior: TEXT,
              expires_at: EXPIRY,
              statements: said('JWTs, that of the subject first.', TEXTS),
              metadata: said('By entity type, after the metadata policies.', OBJECT),
            }),
            { type: 'null' },
          ],
        }),
        reason: said('Why there is no chain.', REASON),
        fetches: { type: 'integer', minimum: 0 },
        search: said('The steps of the search, as `chancery federation resolve --json` prints them.', {
          $ref: '#/components/schemas/AdminFederationEntity',
        }),
      },
      ['subject', 'chain', 'fetches', 'search'],
    ),
  ),
  AdminTrustAnchor: said(
    'A trust anchor of the settings, with what servers have seen of its keys.',
    closed({
      entity_id: TEXT,
      expires_at: said('The expiry of its newest configuration. Null if none was seen.', TIME_OR_NEVER),
      keys: {
        type: 'array',
        items: closed({
          kid: TEXT,
          state: said(
            '`pinned` keys are in the settings. `accepted` and `followed` ones were announced and are trusted; `announced` and `withdrawn` ones are not trusted.',
            { enum: ['pinned', 'accepted', 'followed', 'announced', 'withdrawn'] },
          ),
          since: TIME_OR_NEVER,
          missing_since: TIME_OR_NEVER,
          thumbprint: said('RFC 7638.', TEXT),
        }),
      },
      trusted: said('The trusted keys, in the form of the settings (RFC 7517 §5).', OBJECT),
      problem: said('Why the keys are not known better now, after a look; otherwise null.', {
        type: ['string', 'null'],
      }),
    }),
  ),
  AdminAnchorAcceptance: closed(
    {
      thumbprints: said(
        'The thumbprints that you have compared. The server refuses if the anchor announces other keys.',
        TEXTS,
      ),
    },
    [],
  ),
} as const satisfies Readonly<Record<string, Schema>>;
