import { closed, FLAG, OBJECT, type Schema, said, TEXT } from '../json-schema.ts';

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

const TENANT_ID = said('At most 63 lower-case letters, digits and hyphens.', TEXT);
const VERSION: Schema = { type: 'integer', minimum: 1 };
const TENANT_SEEN = said('The version that the plan has seen; null for a tenant that is not there.', {
  anyOf: [VERSION, { type: 'null' }],
});
const TENANT_ACTION: Schema = { enum: ['create', 'change', 'delete'] };
const DECLARED_TENANT = {
  id: TENANT_ID,
  issuer: said('An https URL of its own. It never changes.', TEXT),
  aliases: said('Further URLs under which the tenant answers.', {
    type: 'array',
    items: TEXT,
    maxItems: 100,
  }),
  settings: said(
    'Its own settings by path, all of them. A secret one stays as it is if it is absent, and goes if it is null.',
    OBJECT,
  ),
  disabled: said('Whether the tenant is out of service. Without it, that stays as it is.', FLAG),
} as const;
const PLANNED_TENANT = closed(
  {
    action: TENANT_ACTION,
    id: TENANT_ID,
    seen: TENANT_SEEN,
    adopted_from: ADOPTED,
    changes: { type: 'array', items: CHANGE },
    secrets: said('The secret settings that change, by path.', {
      type: 'object',
      additionalProperties: { enum: ['given', 'removed'] },
    }),
  },
  ['action', 'id', 'seen', 'changes', 'secrets'],
);

/** Clients and tenants that files declare (`chancery plan`, `chancery apply`). */
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
  AdminDeclaredTenant: said(
    'A tenant as a file declares it.',
    closed(DECLARED_TENANT, ['id', 'issuer', 'aliases', 'settings']),
  ),
  AdminTenantDeclarationPlan: said(
    'The difference between declarations and the tenants that are there. Tenants that are as declared have no step.',
    closed({
      steps: { type: 'array', items: PLANNED_TENANT },
      problems: said('Reasons why the declarations cannot be applied.', {
        type: 'array',
        items: closed({ id: TEXT, words: TEXT }),
      }),
    }),
  ),
  AdminTenantDeclarationStep: said(
    'A step of a plan, with the declaration that it brings about. A deletion has none.',
    closed({ action: TENANT_ACTION, seen: TENANT_SEEN, adopted_from: ADOPTED, ...DECLARED_TENANT }, [
      'action',
      'id',
      'seen',
    ]),
  ),
  AdminOwnedTenant: said(
    'A tenant of an owner, as a plan names it.',
    closed({ id: TENANT_ID, version: VERSION, disabled: FLAG }),
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
