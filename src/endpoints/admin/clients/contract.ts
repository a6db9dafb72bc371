import { TIME } from '../../../spec/admin-schemas/conventions.ts';
import { GRANT_TYPES } from '../../../spec/grant-types.ts';
import { closed, FLAG, OBJECT, type Schema, said, TEXT, TEXTS } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { CLIENT_ORDERS } from '../client-order.ts';
import { operationContract, type QueryParameter } from '../operation-contract.ts';

const CLIENT_ID = { client_id: 'The identifier of the client, percent-encoded.' };
const READ = 'admin:clients:read';
const WRITE = 'admin:clients:write';

const SHORT: Schema = { type: 'string', minLength: 1, maxLength: 500 };
const text = (words: string, schema: Schema = SHORT): QueryParameter => ({ words, schema });
const time = (words: string): QueryParameter => ({ words, schema: TIME });

const METADATA = said('Client metadata (RFC 7591 §2), as `POST /clients` takes it.', OBJECT);

/** The filters of a list of clients. A client must meet all of them. */
const CLIENT_FILTERS = {
  name: text('The beginning of `client_name`, in upper or lower case.'),
  name_contains: text('A part of `client_name`, in upper or lower case.'),
  registered_via: text(
    'The origin: a whole one such as `initial:team`, or its part before the colon, such as `initial`.',
  ),
  grant_type: text('A grant type that the client is registered for.', { enum: Object.keys(GRANT_TYPES) }),
  scope: text('Scope values that the client is registered for, separated by spaces: at most four.'),
  type: text('`public` or `confidential`.', { enum: ['public', 'confidential'] }),
  redirect_host: text('The host of a redirection URI, or a private-use scheme with its colon: `cursor:`.'),
  entity_id: text('The identifier of an entity of a federation.'),
  trust_anchor: text('The trust anchor of the federation that the client comes from.'),
  owner: text('The owner of the files that declare the client.'),
  state: text('`active` or `expired`.', { enum: ['active', 'expired'] }),
  created_after: time('At this time or later.'),
  created_before: time('Before this time.'),
  used_after: time('The last use was at this time or later.'),
  used_before: time('The last use was before this time, or there is none on record.'),
  expires_after: time('The registration ends at this time or later.'),
  expires_before: time('The registration ends, or ended, before this time.'),
  secret_expires_after: time('The newest secret expires at this time or later.'),
  secret_expires_before: time('The newest secret expires, or expired, before this time.'),
} as const satisfies Readonly<Record<string, QueryParameter>>;

export const clientList = operationContract({
  kind: 'list',
  name: 'admin-client-list',
  path: '/admin/v1/clients',
  purpose:
    'Lists the clients that meet all filters. A filter that few clients meet may give a short page, or an empty one, with `next`: go on until it is absent.',
  scope: READ,
  query: CLIENT_FILTERS,
  sort: CLIENT_ORDERS,
  item: named('AdminClient'),
  problems: ['temporarily_unavailable'],
});

export const adminClientRead = operationContract({
  kind: 'item',
  name: 'admin-client-read',
  path: '/admin/v1/clients/{client_id}',
  purpose: 'Returns one client, without its secrets.',
  segments: CLIENT_ID,
  scope: READ,
  item: named('AdminClient'),
});

export const clientCreate = operationContract({
  kind: 'creation',
  name: 'admin-client-create',
  path: '/admin/v1/clients',
  purpose: 'Registers a client. The answer has its secret and its registration access token, once.',
  scope: WRITE,
  action: 'client.create',
  body: closed(
    {
      client_id: said('The identifier that the client gets. Without it: a random one.', TEXT),
      client_secret: said('The secret that the client gets. Without it: a random one.', TEXT),
      metadata: METADATA,
    },
    ['metadata'],
  ),
  item: named('AdminNewClient'),
  problems: ['conflict'],
});

const CHANGED = {
  kind: 'change',
  path: '/admin/v1/clients/{client_id}',
  segments: CLIENT_ID,
  scope: WRITE,
  action: 'client.update',
  body: closed({ metadata: METADATA }),
  item: named('AdminNewClient'),
} as const;

export const clientReplace = operationContract({
  ...CHANGED,
  method: 'PUT',
  name: 'admin-client-replace',
  purpose:
    'Replaces the metadata of a client. The client keeps its secrets and its registration access token; a method that needs a secret makes one.',
});

export const clientPatch = operationContract({
  ...CHANGED,
  method: 'PATCH',
  name: 'admin-client-patch',
  purpose: 'Changes members of the metadata of a client by a merge patch (RFC 7396): null removes a member.',
});

export const adminClientDelete = operationContract({
  kind: 'removal',
  name: 'admin-client-delete',
  path: '/admin/v1/clients/{client_id}',
  purpose:
    'Deletes a client, and ends its tokens. It can be restored, without its tokens, for `history.deleted-lifetime`.',
  segments: CLIENT_ID,
  scope: WRITE,
  action: 'client.delete',
  query: {
    purge: {
      words: '`true`: the client cannot be restored, and its former versions go too.',
      schema: { type: 'boolean' },
    },
  },
});

export const clientReissue = operationContract({
  kind: 'action',
  name: 'admin-client-reissue-registration-token',
  path: '/admin/v1/clients/{client_id}/reissue-registration-token',
  purpose:
    'Makes a new registration access token (RFC 7592 §3), and returns it once. The one before ends at once.',
  segments: CLIENT_ID,
  scope: WRITE,
  action: 'client.update',
  result: named('AdminRegistrationToken'),
  problems: ['conflict'],
});

export const clientRefusals = operationContract({
  kind: 'list',
  name: 'admin-client-refusal-list',
  path: '/admin/v1/clients/{client_id}/refusals',
  purpose:
    'Lists the refusals that the audit has about a client id, the newest first: refused changes, by parties that showed a token. The log has every refusal.',
  segments: CLIENT_ID,
  scope: 'admin:audit:read',
  item: named('AdminClientRefusal'),
});

const SECRETS = '/admin/v1/clients/{client_id}/secrets';

const KEPT: Schema = { type: 'integer', minimum: 0, maximum: 315_360_000 };

export const secretList = operationContract({
  kind: 'list',
  name: 'admin-client-secret-list',
  path: SECRETS,
  purpose: 'Lists the secrets of a client with their last uses, never their values.',
  segments: CLIENT_ID,
  scope: 'admin:clients:read',
  item: named('AdminClientSecret'),
});

export const secretCreate = operationContract({
  kind: 'creation',
  name: 'admin-client-secret-create',
  path: SECRETS,
  purpose: 'Adds a secret to a client, and returns it once. The others stay as they are, ten in all at most.',
  segments: CLIENT_ID,
  scope: WRITE,
  action: 'client.secret',
  body: closed({}),
  item: named('AdminNewClientSecret'),
});

export const secretRotate = operationContract({
  kind: 'action',
  name: 'admin-client-secret-rotate',
  path: '/admin/v1/clients/{client_id}/rotate-secret',
  purpose: 'Makes a new secret, and returns it once. The others end after a time.',
  segments: CLIENT_ID,
  scope: WRITE,
  action: 'client.secret',
  body: closed({
    keep_previous_seconds: said('How long the present secrets stay valid; 0 ends them at once.', KEPT),
  }),
  result: named('AdminNewClientSecret'),
});

export const secretRetire = operationContract({
  kind: 'removal',
  name: 'admin-client-secret-retire',
  path: `${SECRETS}/{secret_id}`,
  purpose: 'Removes one of several secrets. The last live one stays: rotate it first.',
  segments: { ...CLIENT_ID, secret_id: 'The `id` of the secret.' },
  scope: WRITE,
  action: 'client.secret',
});

export const BULK_ACTIONS = ['delete', 'add_scope', 'remove_scope', 'revoke_tokens'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

const IDS_MAX = 1000;

const FILTER: Schema = closed(
  Object.fromEntries(
    Object.entries(CLIENT_FILTERS).map(([name, { words, schema = TEXT }]) => [name, said(words, schema)]),
  ),
  [],
);

export const clientBulk = operationContract({
  kind: 'action',
  name: 'admin-client-bulk',
  path: '/admin/v1/clients/bulk',
  purpose:
    'Does one thing to many clients: those of a list, or those that a filter finds. A call does a part, all or nothing. Send its `next` as `cursor` with the same body until there is none. A dry run counts the clients and shows the first.',
  scope: 'admin:clients:write',
  action: 'client.update',
  body: closed(
    {
      action: said('`revoke_tokens` ends all grants and access tokens, and also needs `admin:sessions`.', {
        enum: BULK_ACTIONS,
      }),
      ids: said('The clients. Either this or `filter`.', {
        type: 'array',
        items: TEXT,
        minItems: 1,
        maxItems: IDS_MAX,
      }),
      filter: said('The filters of the list of clients: at least one.', FILTER),
      scope: said('The values to add or remove.', { ...TEXTS, minItems: 1, maxItems: 100 }),
      purge: said('For `delete`: the clients cannot be restored.', FLAG),
      cursor: said('`next` of the call before.', TEXT),
    },
    ['action'],
  ),
  result: named('AdminBulkResult'),
});
