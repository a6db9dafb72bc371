import { CLIENT_METADATA, type MetadataMember } from './client-metadata.ts';
import { closed, OBJECT, type Schema, SECONDS, said, TEXT, TEXTS, WEB_ADDRESS } from './json-schema.ts';

/** `client_name#de`: a member in another language (OpenID Connect Dynamic Client Registration 1.0 §2.1). */
const TAGGED = (names: readonly string[]): string => `^(?:${names.join('|')})#[A-Za-z0-9-]+$`;

const ROWS = Object.entries(CLIENT_METADATA);
const MEMBERS = Object.fromEntries(
  ROWS.map(([name, { section, privilege, check }]) => [
    name,
    said(wordsOf(section, privilege), check.schema),
  ]),
);
const LOCALISED = {
  [TAGGED(ROWS.flatMap(([name, { localised }]) => (localised === true ? [name] : [])))]: TEXT,
};

function wordsOf(section: string, privilege: MetadataMember['privilege']): string {
  return privilege === undefined ? section : `${section}. Needs the scope \`client-reg:${privilege}\`.`;
}

/** Returns an object of metadata members that also has other members. It has no member that no table names. */
function metadataWith(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { ...closed({ ...properties, ...MEMBERS }, required), patternProperties: LOCALISED };
}

/** The members that a registration always stores. */
const STORED = ['grant_types', 'response_types', 'application_type', 'token_endpoint_auth_method'];

const TIME: Schema = { type: ['integer', 'null'], minimum: 0 };

const INFORMATION = {
  client_id: TEXT,
  client_id_issued_at: SECONDS,
  client_secret: said('Absent for a client that uses no secret.', TEXT),
  client_secret_expires_at: said('0 = never.', SECONDS),
  registration_access_token: said(
    'Absent for a client that a federation, a document or a shared registration manages.',
    TEXT,
  ),
  registration_client_uri: WEB_ADDRESS,
  chancery_metadata_document: said(
    'How current the metadata document of the client is.',
    closed({ fetched_at: SECONDS, fresh_until: SECONDS }),
  ),
  chancery_federation: said(
    'The trust that the registration rests on, for a client of a federation (OpenID Federation 1.0 §12).',
    closed(
      {
        entity_id: TEXT,
        registration: { enum: ['explicit', 'automatic'] },
        trust_anchor: TEXT,
        trust_chain: said('Entity identifiers, from the entity to the trust anchor.', TEXTS),
        expires_at: said('The end of the registration.', TIME),
        trust_chain_expires_at: TIME,
        resolved_at: said('When trust was last resolved.', TIME),
        trust_marks: said('Types of the trust marks that the entity publishes.', TEXTS),
        verified_trust_marks: said('Types that this server requires, and has verified.', TEXTS),
        failure: said('The last renewal, if it failed.', closed({ at: SECONDS, reason: TEXT, words: TEXT })),
      },
      ['entity_id', 'registration', 'trust_anchor', 'trust_chain', 'expires_at', 'resolved_at'],
    ),
  ),
};

const MISTAKE = closed(
  {
    member: TEXT,
    index: said('The place of the value in an array.', SECONDS),
    value: {},
    rule: TEXT,
    allowed: { type: 'array', items: TEXT },
    did_you_mean: TEXT,
    words: said('The mistake as one sentence.', TEXT),
  },
  ['member', 'rule', 'words'],
);

const mistakes: Schema = { type: 'array', items: { $ref: '#/components/schemas/Mistake' } };
const missing_scopes = said('Scope values that the credentials lack for this registration.', {
  type: 'array',
  items: TEXT,
});

/** The objects of client registration, by their names in the API description. */
export const CLIENT_SCHEMAS = {
  ClientMetadata: {
    ...said(
      'Metadata of a client (RFC 7591 §2). The server ignores other members, and drops values that it does not support. `null`, an empty string and an empty array stand for an absent member.',
      OBJECT,
    ),
    properties: MEMBERS,
    patternProperties: LOCALISED,
  },
  ClientJwkSet: {
    type: 'object',
    properties: { keys: { type: 'array', items: OBJECT, minItems: 1, maxItems: 20 } },
    required: ['keys'],
  },
  ClientInformation: said(
    'The registration as the server stored it (RFC 7591 §3.2.1, RFC 7592 §3).',
    metadataWith(INFORMATION, ['client_id', 'client_id_issued_at', ...STORED]),
  ),
  RegisteredMetadata: said('Metadata as the server stores them.', metadataWith({}, STORED)),
  Mistake: MISTAKE,
  DryRun: said(
    'The result of a registration with `dry_run=true`. The server stores nothing.',
    closed({
      dry_run: { const: true },
      missing_scopes,
      dropped: mistakes,
      warnings: { type: 'array', items: TEXT },
      metadata: { $ref: '#/components/schemas/RegisteredMetadata' },
    }),
  ),
  DryRunRefusal: closed(
    {
      error: TEXT,
      error_description: TEXT,
      dry_run: { const: true },
      missing_scopes,
      mistakes,
      dropped: mistakes,
    },
    ['error', 'error_description', 'dry_run', 'mistakes'],
  ),
} as const satisfies Readonly<Record<string, Schema>>;
