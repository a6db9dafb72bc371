import type { Command } from '../commands.ts';

const OPTIONS = '[--json] [--config FILE] [--mode development|production]';

/** The commands of the database's schema. */
export const MIGRATE_COMMANDS: readonly Command[] = [
  {
    words: ['migrate', 'status'],
    parameters: OPTIONS,
    summary: 'Print the version of the schema, and what is pending; ends with 1 where something is',
    load: () => import('./status.ts'),
  },
  {
    words: ['migrate', 'plan'],
    parameters: OPTIONS,
    summary:
      'Print the statements that `migrate up` would execute, and whether older servers may run on meanwhile',
    load: () => import('./plan.ts'),
  },
  {
    words: ['migrate', 'up'],
    parameters: OPTIONS,
    summary: 'Bring the schema up to date, all or nothing; of several at once one does',
    load: () => import('./up.ts'),
  },
];
