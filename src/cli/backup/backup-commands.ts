import type { Command } from '../commands.ts';

/** The commands of backups. */
export const BACKUP_COMMANDS: readonly Command[] = [
  {
    words: ['backup', 'create'],
    parameters: '--out FILE [--config FILE] [--json]',
    summary: 'Write what the SQLite database holds now to a new file, while servers go on, and check it',
    load: () => import('./create.ts'),
  },
  {
    words: ['backup', 'verify'],
    parameters: 'FILE [--json]',
    summary: 'Read a backup through: damage, digests of its tables, and what it says of itself',
    load: () => import('./verify.ts'),
  },
  {
    words: ['backup', 'restore'],
    parameters: 'FILE [--to sqlite:PATH] [--move-aside] [--config FILE] [--json]',
    summary: 'Put a backup in place of the SQLite database, and say what it brings back',
    load: () => import('./restore.ts'),
  },
  {
    words: ['backup', 'restored'],
    parameters: '--taken-at TIME [--config FILE] [--json]',
    summary:
      'Say of a database that other tools have restored (pg_restore, a snapshot) that it was, before a server starts on it',
    load: () => import('./restored.ts'),
  },
];
