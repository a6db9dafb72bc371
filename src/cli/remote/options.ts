import type { Variable } from '../command.ts';

export const SERVER_VARIABLE = 'CHANCERY_SERVER';
export const TOKEN_FILE_VARIABLE = 'CHANCERY_TOKEN_FILE';

/** The options of every command that a server can execute over its administration API. */
export const SERVER_OPTIONS = {
  server: {
    kind: 'text',
    value: 'URL',
    words:
      'Names a server whose administration API (`/admin/v1`) executes the command, instead of opening a database. The URL is the issuer or the address of the management listener, with https unless the host is a loopback one.',
  },
  'token-file': {
    kind: 'text',
    value: 'FILE',
    words:
      'Reads the access token for --server from this file: a token with `admin:…` scope values, or a break-glass token.',
  },
  token: {
    kind: 'text',
    value: 'TOKEN',
    words:
      'Sets the access token for --server. Other users of the machine see it in the list of processes; prefer --token-file.',
  },
  reason: {
    kind: 'text',
    value: 'TEXT',
    words:
      'Sets why the command is run, for the audit of the server: at most 200 characters. It needs --server.',
  },
} as const;

/** The variables of every command with these options. */
export const SERVER_VARIABLES: readonly Variable[] = [
  { name: SERVER_VARIABLE, words: 'Names the server for a command without --server, --config and --mode.' },
  {
    name: TOKEN_FILE_VARIABLE,
    words: 'Names the file with the access token for a command without --token-file.',
  },
];
