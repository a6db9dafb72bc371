import { closed, OBJECT, type Schema, said, TEXT } from '../json-schema.ts';

/** The registration that a plan has seen. */
const SEEN = said('The registration that the plan has seen; null for a client that is not registered.', {
  anyOf: [closed({ instance: TEXT, version: { type: 'integer', minimum: 1 } }), { type: 'null' }],
});
const ACTION: Schema = { enum: ['create', 'change', 'replace', 'delete'] };
const ADOPTED = said('The owner before; null for none. Present if the step takes the client over.', {
  type: ['string', 'null'],
});
const CHANGE = closed({ path: TEXT, before: {}, after: {} }, ['path']);
const ABOUT_CLIENT = closed({ client_id: TEXT, words: TEXT });

const PLANNED = closed(
  {
    action: ACTION,
    client_id: TEXT,
    seen: SEEN,
    adopted_from: ADOPTED,
    changes: { type: 'array', items: CHANGE },
    secret: said('How the secret changes.', { enum: ['none', 'kept', 'given', 'generated', 'removed'] }),
  },
  ['action', 'client_id', 'seen', 'changes', 'secret'],
);

const CLIENT_SECRET = said(
  'The value that the secret must have. Without it, the client keeps its secret.',
  TEXT,
);
const METADATA = said('Client metadata (RFC 7591 §2), with `data`. The client is declared whole.', OBJECT);

/** Clients that files declare (`chancery plan`, `chancery apply`). */
export const ADMIN_DECLARATION_SCHEMAS = {
  AdminDeclaredClient: said(
    'A client as a file declares it.',
    closed({ client_id: TEXT, metadata: METADATA, client_secret: CLIENT_SECRET }, ['client_id', 'metadata']),
  ),
  AdminDeclarationPlan: said(
    'The difference between declarations and the registry. Clients that are as declared have no step.',
    closed({
      steps: { type: 'array', items: PLANNED },
      problems: said('Reasons why the declarations cannot be applied.', {
        type: 'array',
        items: ABOUT_CLIENT,
      }),
      dropped: said('Members that the server does not take.', { type: 'array', items: ABOUT_CLIENT }),
    }),
  ),
  AdminDeclarationStep: said(
    'A step of a plan, with the declaration that it brings about.',
    closed(
      {
        action: ACTION,
        client_id: TEXT,
        seen: SEEN,
        adopted_from: ADOPTED,
        metadata: METADATA,
        client_secret: CLIENT_SECRET,
      },
      ['action', 'client_id', 'seen'],
    ),
  ),
  AdminOwnedClient: said(
    'A client of an owner, as a plan names it.',
    closed({
      client_id: TEXT,
      instance: TEXT,
      version: { type: 'integer', minimum: 1 },
      has_secret: { type: 'boolean' },
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
