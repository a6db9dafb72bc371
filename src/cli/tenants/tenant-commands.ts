import type { Command } from '../commands.ts';

const OPTIONS = '[--json] [--config FILE] [--mode development|production]';

/** The commands of tenants. They work on the database itself; servers that run know of a change in their next request. */
export const TENANT_COMMANDS: readonly Command[] = [
  {
    words: ['tenants', 'list'],
    parameters: OPTIONS,
    summary: 'List the tenants beside the default one',
    load: () => import('./list.ts'),
  },
  {
    words: ['tenants', 'create'],
    parameters: `ID --issuer URL [--alias URL …] [--set path=value …] ${OPTIONS}`,
    summary: 'Create a tenant: an issuer with clients, tokens, keys and settings of its own',
    load: () => import('./create.ts'),
  },
  {
    words: ['tenants', 'update'],
    parameters: `ID [--alias URL … | --no-alias] [--set path=value …] [--unset path …] ${OPTIONS}`,
    summary: 'Change the settings and aliases of a tenant',
    load: () => import('./update.ts'),
  },
  {
    words: ['tenants', 'disable'],
    parameters: `ID ${OPTIONS}`,
    summary: 'Take a tenant out of service; everything of it is kept',
    load: () => import('./disable.ts'),
  },
  {
    words: ['tenants', 'enable'],
    parameters: `ID ${OPTIONS}`,
    summary: 'Take a disabled tenant into service again',
    load: () => import('./enable.ts'),
  },
];
