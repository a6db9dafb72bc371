import type { Command } from '../commands.ts';

/** The commands of a database as a whole. */
export const STORAGE_COMMANDS: readonly Command[] = [
  {
    words: ['storage', 'copy'],
    parameters: '--from URL|@FILE --to URL|@FILE [--final] [--json]',
    summary:
      'Copy everything from one database to another, of any engine; run it again for what was missed; --final when servers are stopped',
    load: () => import('./copy.ts'),
  },
  {
    words: ['storage', 'check'],
    parameters: '[--config FILE] [--json]',
    summary:
      'Read the database through: damage, counts, rows that belong to nothing, sealed texts that do not open; ends with 1 where there are any',
    load: () => import('./check.ts'),
  },
];
