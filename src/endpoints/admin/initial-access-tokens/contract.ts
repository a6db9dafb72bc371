import { INITIAL_TOKEN_STATES } from '../../../clients/initial-access-tokens.ts';
import { closed, FLAG, said, TEXT, TEXTS } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const TOKENS = '/admin/v1/initial-access-tokens';
const ID = { id: 'The `id` of the token.' };

export const tokenList = operationContract({
  kind: 'list',
  name: 'admin-initial-access-token-list',
  path: TOKENS,
  purpose: 'Lists the initial access tokens, the oldest first, each with the client that it registered.',
  scope: 'admin:tokens:read',
  query: {
    label: {
      words: 'A part of the label, in upper or lower case.',
      schema: { type: 'string', maxLength: 500 },
    },
    state: { words: 'The state.', schema: { enum: INITIAL_TOKEN_STATES } },
  },
  item: named('AdminInitialAccessToken'),
});

export const tokenRead = operationContract({
  kind: 'item',
  name: 'admin-initial-access-token-read',
  path: `${TOKENS}/{id}`,
  purpose: 'Returns one initial access token, never its value.',
  segments: ID,
  scope: 'admin:tokens:read',
  item: named('AdminInitialAccessToken'),
});

export const tokenCreate = operationContract({
  kind: 'creation',
  name: 'admin-initial-access-token-create',
  path: TOKENS,
  purpose: 'Makes an initial access token, which is good for one registration, and returns it once.',
  scope: 'admin:tokens',
  action: 'initial-access-token.create',
  body: closed(
    {
      label: said('Stands in `registered_via` of the client: `initial:LABEL`.', {
        type: 'string',
        maxLength: 100,
      }),
      scope: said(
        'The registrations that it permits: `client-reg:…` values. Default: everything, `client-reg`.',
        TEXTS,
      ),
      redirect_hosts: said('The hosts that redirection URIs may have. Default: any.', {
        type: 'array',
        items: TEXT,
        minItems: 1,
        maxItems: 100,
      }),
      lifetime: said('Seconds. Default and limit are settings.', { type: 'integer', minimum: 1 }),
    },
    [],
  ),
  item: named('AdminNewInitialAccessToken'),
});

export const tokenRevoke = operationContract({
  kind: 'action',
  name: 'admin-initial-access-token-revoke',
  path: `${TOKENS}/{id}/revoke`,
  purpose:
    'Revokes a live token. With `cascade`, a token that was used loses its client: this also needs `admin:clients:write`.',
  segments: ID,
  scope: 'admin:tokens',
  action: 'initial-access-token.revoke',
  body: closed({ cascade: said('Deletes the client that was registered with the token.', FLAG) }, []),
  result: named('AdminInitialAccessToken'),
  problems: ['conflict'],
});
