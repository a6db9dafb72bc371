import { closed, OBJECT, type Schema, said, TEXT } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const ALIASES: Schema = said('Further URLs under which the tenant answers.', {
  type: 'array',
  items: TEXT,
  maxItems: 100,
});
const SETTINGS: Schema = said(
  'Its own settings by path, such as `access-token.lifetime`. docs/reference/configuration.md says which settings a tenant may have.',
  OBJECT,
);

/** Tenants in the administration API. */
export const ADMIN_TENANT_SCHEMAS = {
  AdminTenant: said(
    'A tenant beside the default one.',
    closed({
      id: TEXT,
      issuer: said('Null for a deleted tenant.', { anyOf: [TEXT, { type: 'null' }] }),
      aliases: ALIASES,
      settings: said('Its own settings by path. Digests of tokens are masked: `******`.', OBJECT),
      owner: said('The declarer of the tenant in files (`chancery apply`); null for none.', {
        type: ['string', 'null'],
      }),
      state: said(
        '`deleting`: the tenant is closed for good, and its rows are being removed. `deleted`: only its id is left, which no other tenant gets.',
        { enum: ['active', 'disabled', 'deleting', 'deleted'] },
      ),
      created_at: TIME,
      disabled_at: TIME_OR_NEVER,
      deleted_at: said('When the deletion began.', TIME_OR_NEVER),
      cleared_at: said('When no row was left.', TIME_OR_NEVER),
    }),
  ),
  AdminTenantCreation: closed(
    {
      id: said('At most 63 lower-case letters, digits and hyphens. Never changes.', {
        type: 'string',
        pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
      }),
      issuer: said('An https URL of its own. Never changes.', TEXT),
      aliases: ALIASES,
      settings: SETTINGS,
    },
    ['id', 'issuer'],
  ),
  AdminTenantPatch: closed(
    {
      aliases: ALIASES,
      settings: said(
        'The settings to change by path. Null removes a value of its own, so that the configuration applies.',
        OBJECT,
      ),
    },
    [],
  ),
  AdminTenantRows: said(
    'The rows of a tenant in one table.',
    closed({
      table: TEXT,
      rows: said('At most 10,000 are counted in each table.', { type: 'integer', minimum: 0 }),
      more: said('Whether there are more than that.', { type: 'boolean' }),
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
