import type { Command } from './commands.ts';

/** What every one of them takes besides. */
export const OPTIONS = '[--tenant ID] [--json] [--config FILE] [--mode development|production]';

/** The commands of the registry. They work on the database itself, beside the servers that may be running on it. */
export const REGISTRY_COMMANDS: readonly Command[] = [
  {
    words: ['clients', 'list'],
    parameters: `[--registered-via WHO] [--grant-type GRANT] [--name PART] [--limit N] ${OPTIONS}`,
    summary: 'List the clients',
    load: () => import('./clients/list.ts'),
  },
  {
    words: ['clients', 'show'],
    parameters: `ID [--secrets] ${OPTIONS}`,
    summary: 'Show one client; its secret and registration token only if asked for',
    load: () => import('./clients/show.ts'),
  },
  {
    words: ['clients', 'create'],
    parameters: `FILE|- [--dry-run] ${OPTIONS}`,
    summary: 'Register a client from the JSON that POST /clients takes',
    load: () => import('./clients/create.ts'),
  },
  {
    words: ['clients', 'update'],
    parameters: `ID FILE|- [--secrets] ${OPTIONS}`,
    summary:
      'Replace a registration by the JSON that PUT /clients/{id} takes; secret and registration token are new',
    load: () => import('./clients/update.ts'),
  },
  {
    words: ['clients', 'delete'],
    parameters: `ID ${OPTIONS}`,
    summary: 'Delete a client and end its tokens',
    load: () => import('./clients/delete.ts'),
  },
  {
    words: ['clients', 'rotate-secret'],
    parameters: `ID [--keep-previous SECONDS] ${OPTIONS}`,
    summary: 'Give a client a new secret and print it',
    load: () => import('./clients/rotate-secret.ts'),
  },
  {
    words: ['clients', 'secrets'],
    parameters: `ID ${OPTIONS}`,
    summary: 'List the secrets of a client by name, with their last use',
    load: () => import('./clients/secrets.ts'),
  },
  {
    words: ['clients', 'retire-secret'],
    parameters: `ID NAME ${OPTIONS}`,
    summary: 'End one of several secrets of a client',
    load: () => import('./clients/retire-secret.ts'),
  },
  {
    words: ['clients', 'prune'],
    parameters: `[--idle SECONDS] [--dry-run] ${OPTIONS}`,
    summary: 'Delete openly registered clients that are not used',
    load: () => import('./clients/prune.ts'),
  },
  {
    words: ['clients', 'export'],
    parameters: `[--out FILE] ${OPTIONS}`,
    summary: 'Write every client with its secrets, one JSON object a line',
    load: () => import('./clients/export.ts'),
  },
  {
    words: ['clients', 'import'],
    parameters: `FILE|- [--replace] [--dry-run] ${OPTIONS}`,
    summary: 'Bring the clients of an export; those that are there already are skipped',
    load: () => import('./clients/import.ts'),
  },
  {
    words: ['iat', 'create'],
    parameters: `[--scope SCOPE] [--label TEXT] [--lifetime SECONDS] [--redirect-host HOST …] ${OPTIONS}`,
    summary: 'Make an initial access token and print it with a command that uses it',
    load: () => import('./iat/create.ts'),
  },
  {
    words: ['iat', 'list'],
    parameters: OPTIONS,
    summary: 'List the initial access tokens and the clients that they made',
    load: () => import('./iat/list.ts'),
  },
  {
    words: ['iat', 'revoke'],
    parameters: `ID [--cascade] ${OPTIONS}`,
    summary: 'End an initial access token; with --cascade also the client that it made',
    load: () => import('./iat/revoke.ts'),
  },
  {
    words: ['accounts', 'add'],
    parameters: `NAME [--email ADDRESS] [--claim NAME=VALUE …] [--password-stdin] ${OPTIONS}`,
    summary: 'Make an account for an end-user; the password is typed, or is the first line of standard input',
    load: () => import('./accounts/add.ts'),
  },
  {
    words: ['accounts', 'list'],
    parameters: OPTIONS,
    summary: 'List the accounts',
    load: () => import('./accounts/list.ts'),
  },
  {
    words: ['accounts', 'show'],
    parameters: `NAME ${OPTIONS}`,
    summary: 'Show one account with its claims and sessions',
    load: () => import('./accounts/show.ts'),
  },
  {
    words: ['accounts', 'update'],
    parameters: `NAME [--email ADDRESS] [--claim NAME=VALUE …] [--remove-claim NAME …] ${OPTIONS}`,
    summary: 'Change claims of an account; its sessions and grants go on',
    load: () => import('./accounts/update.ts'),
  },
  {
    words: ['accounts', 'disable'],
    parameters: `NAME ${OPTIONS}`,
    summary: 'Let nobody sign in with an account; its sessions and grants end',
    load: () => import('./accounts/disable.ts'),
  },
  {
    words: ['accounts', 'enable'],
    parameters: `NAME ${OPTIONS}`,
    summary: 'Let the owner of a disabled account sign in again',
    load: () => import('./accounts/enable.ts'),
  },
  {
    words: ['accounts', 'set-password'],
    parameters: `NAME [--password-stdin] ${OPTIONS}`,
    summary: 'Give an account another password; its sessions and grants end',
    load: () => import('./accounts/set-password.ts'),
  },
  {
    words: ['accounts', 'delete'],
    parameters: `NAME ${OPTIONS}`,
    summary: 'Delete an account with its sessions, grants and consents',
    load: () => import('./accounts/delete.ts'),
  },
  {
    words: ['sessions', 'list'],
    parameters: `NAME|--sub SUB ${OPTIONS}`,
    summary: 'List the sessions of an end-user, with the clients that took part',
    load: () => import('./sessions/sessions-list.ts'),
  },
  {
    words: ['sessions', 'end'],
    parameters: `NAME|--sub SUB [SESSION] ${OPTIONS}`,
    summary: 'End one session of an end-user, or all; a running server tells their clients',
    load: () => import('./sessions/sessions-end.ts'),
  },
  {
    words: ['grants', 'list'],
    parameters: `NAME|--sub SUB ${OPTIONS}`,
    summary: 'List what clients may do for somebody',
    load: () => import('./sessions/grants-list.ts'),
  },
  {
    words: ['grants', 'revoke'],
    parameters: `NAME|--sub SUB [GRANT] ${OPTIONS}`,
    summary: 'End one grant about somebody, or all, with every token of it',
    load: () => import('./sessions/grants-revoke.ts'),
  },
  {
    words: ['logouts', 'list'],
    parameters: OPTIONS,
    summary: 'List which clients were told, or are to be told, that a session has ended',
    load: () => import('./sessions/logouts-list.ts'),
  },
];
