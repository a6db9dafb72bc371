import { closed, OBJECT, type Schema, said, TEXT, TEXTS } from '../../../spec/json-schema.ts';
import { OWNER_NAME } from '../../../spec/owner-name.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const OWNER = said('The declarer of the clients.', {
  type: 'string',
  pattern: OWNER_NAME.source,
} satisfies Schema);

/** Clients of one request. */
const CLIENTS_MAX = 500;

export const declarationPlan = operationContract({
  kind: 'action',
  name: 'admin-declaration-plan',
  path: '/admin/v1/declarations/plan',
  purpose: 'Compares declared clients with the registry, and changes nothing.',
  scope: 'admin:clients:read',
  action: 'client.list',
  body: closed(
    {
      owner: OWNER,
      clients: { type: 'array', items: named('AdminDeclaredClient'), maxItems: CLIENTS_MAX },
      adopt: said('Clients that may be taken over from any owner, or from none.', TEXTS),
      adopt_unowned: said('Whether every declared client without owner may be taken over.', {
        type: 'boolean',
      }),
      replace: said('Clients that end with their tokens and are registered again.', TEXTS),
    },
    ['owner', 'clients'],
  ),
  result: named('AdminDeclarationPlan'),
});

export const declarationApply = operationContract({
  kind: 'action',
  name: 'admin-declaration-apply',
  path: '/admin/v1/declarations/apply',
  purpose:
    'Applies steps of a plan in one transaction: all of them, or none. A client that is not as the plan has seen it is a conflict.',
  scope: 'admin:clients:write',
  action: 'client.update',
  body: closed({
    owner: OWNER,
    steps: { type: 'array', items: named('AdminDeclarationStep'), minItems: 1, maxItems: CLIENTS_MAX },
  }),
  result: closed({ applied: { type: 'integer', minimum: 0 }, clients: OBJECT }),
  problems: ['conflict'],
});

export const ownedClientList = operationContract({
  kind: 'list',
  name: 'admin-declaration-list',
  path: '/admin/v1/declarations',
  purpose: 'Lists the clients of an owner, with the versions that a deletion by a plan needs.',
  scope: 'admin:clients:read',
  query: { owner: { words: 'The owner. Required.', schema: { ...TEXT, pattern: OWNER_NAME.source } } },
  item: named('AdminOwnedClient'),
});
