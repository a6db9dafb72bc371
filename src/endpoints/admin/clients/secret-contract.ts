import { closed, type Schema, said } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const CLIENT_ID = { client_id: 'The identifier of the client, percent-encoded.' };
const SECRETS = '/admin/v1/clients/{client_id}/secrets';
const WRITE = 'admin:clients:write';

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
