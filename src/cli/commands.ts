import type { Environment } from '../config/environment.ts';
import { BACKUP_COMMANDS } from './backup/backup-commands.ts';
import { KEY_COMMANDS } from './keys/key-commands.ts';
import { MIGRATE_COMMANDS } from './migrate/migrate-commands.ts';
import { REGISTRY_COMMANDS } from './registry-commands.ts';
import { STORAGE_COMMANDS } from './storage/storage-commands.ts';
import { TENANT_COMMANDS } from './tenants/tenant-commands.ts';

/** What a command needs of the process it runs in. */
export interface CommandContext {
  readonly environment: Environment;
  /** One line to standard output. */
  readonly print: (line: string) => void;
  /** One line to standard error. */
  readonly complain: (line: string) => void;
}

/** Resolves with the exit code: 0 done, 1 failed, 2 called wrongly. */
export type Run = (parameters: readonly string[], context: CommandContext) => Promise<number>;

export interface Command {
  readonly words: readonly string[];
  readonly parameters: string;
  readonly summary: string;
  /** Imports the command's module only when it is called: the others cost no start-up time. */
  readonly load: () => Promise<{ readonly run: Run }>;
}

const CONFIG = '[--config FILE]';
const CONFIG_AND_MODE = '[--config FILE] [--mode development|production]';

export const COMMANDS: readonly Command[] = [
  {
    words: ['dev'],
    parameters: `${CONFIG} [--federation [--federation-port PORT]]`,
    summary:
      'Start a server for development, with tokens and keys made for it; with a federation on loopback if asked',
    load: () => import('./dev/dev.ts'),
  },
  {
    words: ['serve'],
    parameters: `[--workers N] ${CONFIG}`,
    summary: 'Start a server for production, with so many processes',
    load: () => import('./serve.ts'),
  },
  {
    words: ['config', 'check'],
    parameters: CONFIG_AND_MODE,
    summary: 'Check the settings; list everything that is wrong with them',
    load: () => import('./config/check.ts'),
  },
  {
    words: ['config', 'print'],
    parameters: CONFIG_AND_MODE,
    summary: 'Print every setting, its value and where the value came from; secrets are masked',
    load: () => import('./config/print.ts'),
  },
  {
    words: ['keys', 'encryption', 'generate'],
    parameters: '',
    summary: 'Print a new key for encryption.key',
    load: () => import('./keys/encryption-generate.ts'),
  },
  {
    words: ['keys', 'encryption', 'rotate'],
    parameters: CONFIG,
    summary: 'Seal everything in the database with the first key of encryption.key',
    load: () => import('./keys/encryption-rotate.ts'),
  },
  ...MIGRATE_COMMANDS,
  ...STORAGE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...KEY_COMMANDS,
  ...REGISTRY_COMMANDS,
  ...TENANT_COMMANDS,
  {
    words: ['federation', 'resolve'],
    parameters: `ENTITY [--anchor ENTITY] [--json | --svg] ${CONFIG_AND_MODE}`,
    summary:
      'Look for a trust chain to an entity; show every statement, check and policy operator that was met',
    load: () => import('./federation/resolve.ts'),
  },
  {
    words: ['federation', 'register-demo'],
    parameters: `[--dialect interface|final] ${CONFIG}`,
    summary:
      'Register the relying party of dev --federation at its server explicitly; show the request, the answer and the client',
    load: () => import('./federation/register-demo.ts'),
  },
  {
    words: ['help'],
    parameters: '',
    summary: 'Print this',
    load: () => import('./help.ts'),
  },
  {
    words: ['version'],
    parameters: '',
    summary: 'Print the versions of chancery and its runtime',
    load: () => import('./version.ts'),
  },
];
