import { closed, OBJECT, type Schema, said, TEXT, TEXTS } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const MEMBER = {
  client_id: TEXT,
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

/** The federation in the administration API. */
export const ADMIN_FEDERATION_SCHEMAS = {
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
        chain: said('Null without a chain.', { type: ['object', 'null'] }),
        reason: said('Why there is no chain: `code`, `words` and `detail`.', OBJECT),
        fetches: { type: 'integer', minimum: 0 },
        search: said(
          'The steps of the search: statements, checks and superiors, as `chancery federation resolve --json` prints them.',
          OBJECT,
        ),
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
