import {
  initialTokenId,
  initialTokenState,
  initialTokensNamed,
  registrationScopeProblem,
} from '../clients/initial-access-tokens.ts';
import { type RevokedToken, revokeInitialAccessToken } from '../clients/revoke-initial-access-token.ts';
import { authorizeDirectly } from '../grants/direct-authorization/authorize-directly.ts';
import type { InitialAccessToken } from '../ports/access-token-store.ts';
import { CIBA_GRANT, GRANT_TYPES } from '../spec/grant-types.ts';
import type { AccessTokenKey } from '../spec/identifiers.ts';
import { parseJsonObject } from '../spec/json.ts';
import { privilegesOfScope } from '../spec/registration-privileges.ts';
import { LOCATOR_LENGTH } from '../tokens/token-identifier.ts';
import { type Command, command, type Surroundings } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import type { RegistrySession } from './registry-session.ts';
import { ACTOR, BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { printFields, table, timeText } from './table.ts';

const PAGE = 100;
const HEADS = ['ID', 'LABEL', 'SCOPE', 'ISSUED', 'EXPIRES', 'STATE', 'USED', 'USED BY'];

/** Permits every registration. */
const DEFAULT_SCOPE = ['client-reg'];

const create = command({
  words: ['iat', 'create'],
  summary: 'Create an initial access token and print it',
  description: [
    'An initial access token permits one client registration at POST /clients (RFC 7591 §3). The token is printed once and is not stored in clear.',
    'An absent SQLite database is created.',
  ],
  servers: BESIDE_SERVERS,
  options: {
    scope: {
      kind: 'text',
      value: 'SCOPE',
      repeated: true,
      words:
        'Limits what may be registered, for example client-reg:grant:client. Several values may stand in one SCOPE, with spaces between them. Without it, the token permits everything (client-reg).',
    },
    label: {
      kind: 'text',
      value: 'TEXT',
      words: 'Labels the token in `iat list` and its client in `clients list`.',
    },
    lifetime: {
      kind: 'seconds',
      words: 'Sets the lifetime of the token instead of the one in the settings.',
    },
    'redirect-host': {
      kind: 'text',
      value: 'HOST',
      repeated: true,
      words: 'Allows this host in redirection URIs. Without it, every host is allowed.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'The id, the token, its limits, and a curl command that registers a client with it. With --json, one JSON object with `id` and `access_token`.',
  examples: [
    'chancery iat create --label "team A" --redirect-host app.example.com',
    'chancery iat create --scope client-reg:grant:client --lifetime 1h --json',
  ],
  run: async (call) => {
    const { json, label, lifetime, 'redirect-host': redirect_hosts } = call.options;
    const scope = registrationScope(call.options.scope);
    const request = {
      scope,
      ...(label === undefined ? {} : { label }),
      ...(lifetime === undefined ? {} : { lifetime }),
      ...(redirect_hosts === undefined ? {} : { redirect_hosts }),
    };
    await withRegistry(call, { create: true }, async (session) => {
      const { access_token, expires_in } = await authorize(session, request);
      const { clock, issuer } = session.needs;
      const id = access_token.slice(0, LOCATOR_LENGTH);
      const expires_at = clock.now() + expires_in;
      if (json) {
        call.print(JSON.stringify({ id, access_token, ...request, expires_at }));
        return;
      }
      printFields(call.print, [
        ['id', id],
        ['initial access token', access_token],
        ['label', label ?? '-'],
        ['scope', scope.join(' ')],
        ['expires', timeText(expires_at, '-')],
        ['redirect hosts', redirect_hosts?.join(' ') ?? 'any'],
      ]);
      call.print('');
      call.print(curl(issuer, access_token, exampleRequest(scope, redirect_hosts)));
    });
  },
});

/** Returns the values of all `--scope` options. Each option may hold several, as the parameter of the protocol does. */
function registrationScope(given: readonly string[] | undefined): readonly string[] {
  const scope = given?.flatMap((text) => text.split(' ').filter((value) => value !== '')) ?? DEFAULT_SCOPE;
  const problem = registrationScopeProblem(scope);
  if (problem !== undefined) throw calledWrongly(`--scope ${problem}`);
  return scope;
}

async function authorize(
  { needs, tenant, request_id }: RegistrySession,
  request: object,
): ReturnType<typeof authorizeDirectly> {
  return await authorizeDirectly(
    tenant.issuing,
    parseJsonObject(Buffer.from(JSON.stringify(request)), needs.json),
    { actor: ACTOR, request_id },
  );
}

/** Returns a registration request that the token permits. */
function exampleRequest(scope: readonly string[], hosts: readonly string[] = ['client.example']): object {
  const { grant_types } = privilegesOfScope(scope);
  const grants = grant_types === 'any' ? (['authorization_code'] as const) : grant_types;
  const redirects = grants.some((grant) => GRANT_TYPES[grant].redirects);
  return {
    grant_types: grants,
    ...(redirects ? { redirect_uris: [`https://${hosts[0]}/callback`] } : {}),
    ...(grants.includes(CIBA_GRANT) ? { backchannel_token_delivery_mode: 'poll' } : {}),
  };
}

function curl(issuer: string, token: string, request: object): string {
  return [
    `curl -s -H 'Authorization: Bearer ${token}'`,
    `-H 'Content-Type: application/json' -d '${JSON.stringify(request)}' ${issuer}/clients`,
  ].join(' ');
}

const list = command({
  words: ['iat', 'list'],
  summary: 'List the initial access tokens and the clients registered with them',
  description: [
    'The command lists the tokens on record, the oldest first. It shows the id of each token, never the token.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'A table with one line for each token; its state is live, used, revoked or expired. With --json, one JSON object per line.',
  examples: ['chancery iat list'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async ({ needs }) => {
      const now = needs.clock.now();
      const print = call.options.json ? jsonPrinter(call, now) : tablePrinter(call, now);
      let after: AccessTokenKey | undefined;
      while (true) {
        const page: readonly InitialAccessToken[] = await needs.accessTokens.store.pageInitial(after, PAGE);
        print(page);
        after = page.at(-1)?.key;
        if (page.length < PAGE) return;
      }
    });
  },
});

type Printer = (tokens: readonly InitialAccessToken[]) => void;

function jsonPrinter({ print }: Surroundings, now: number): Printer {
  return (tokens) => {
    for (const token of tokens) {
      const { label, scope, redirect_hosts, issued_at, expires_at, used_at, used_by_client_id, revoked_at } =
        token;
      const lineage = { used_at, used_by_client_id, revoked_at, state: initialTokenState(token, now) };
      const about = { id: initialTokenId(token), label, scope, redirect_hosts, issued_at, expires_at };
      print(JSON.stringify({ ...about, ...lineage }));
    }
  };
}

function tablePrinter({ print }: Surroundings, now: number): Printer {
  const lines = table(print, HEADS);
  return (tokens) =>
    lines.print(
      tokens.map((token) => [
        initialTokenId(token),
        token.label || '-',
        token.scope,
        timeText(token.issued_at, '-'),
        timeText(token.expires_at, '-'),
        initialTokenState(token, now),
        timeText(token.used_at, '-'),
        token.used_by_client_id ?? '-',
      ]),
    );
}

const revoke = command({
  words: ['iat', 'revoke'],
  summary: 'Revoke an initial access token, or delete the client registered with it',
  description: [
    'A live token cannot be used any more. This cannot be undone. A token that was used stays used: with --cascade the command deletes the client that was registered with it, but not a later client with the same id.',
  ],
  servers: BESIDE_SERVERS,
  operands: { id: { words: 'Names the token by its id, which `iat create` and `iat list` print.' } },
  options: {
    cascade: {
      kind: 'flag',
      words: 'Deletes the client that was registered with the token, and ends its tokens.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object with `revoked` and `deleted`.',
  exits: {
    1: 'There is nothing to revoke: the token is unknown, used, revoked or expired. Or the command failed.',
  },
  examples: ['chancery iat revoke 4fTq0aX2', 'chancery iat revoke 4fTq0aX2 --cascade'],
  run: async (call) => {
    const { id } = call.operands;
    const { cascade, json } = call.options;
    await withRegistry(call, { create: false }, async (session) => {
      const { needs, request_id } = session;
      const find = async (): Promise<InitialAccessToken> => await tokenNamed(session, id);
      const result = await revokeInitialAccessToken(needs, find, { id, cascade, actor: ACTOR, request_id });
      if (!result.revoked && result.deleted === undefined)
        throw new CommandFailure(nothingToRevoke(await find(), cascade, needs.clock.now()));
      call.print(json ? JSON.stringify({ id, ...result }) : sentence(id, result));
    });
  },
});

function sentence(id: string, { revoked, deleted }: RevokedToken): string {
  return revoked ? `revoked ${id}` : `deleted ${deleted ?? ''}, which was registered with ${id}`;
}

function nothingToRevoke(token: InitialAccessToken, cascade: boolean, now: number): string {
  const state = initialTokenState(token, now);
  if (state === 'revoked') return 'the token was revoked before';
  if (state === 'expired') return 'the token has expired';
  const client = JSON.stringify(token.used_by_client_id);
  return cascade
    ? `the token was used for the client ${client}, which is gone already`
    : `the token was used for the client ${client}: --cascade deletes it`;
}

export const IAT_COMMANDS: readonly Command[] = [create, list, revoke];

/** Rejects with CommandFailure for an unknown id, and for the rare id that two tokens have. */
async function tokenNamed({ needs }: RegistrySession, id: string): Promise<InitialAccessToken> {
  const [token, another] = await initialTokensNamed(needs.accessTokens.store, id);
  if (token === undefined) throw new CommandFailure(`there is no initial access token ${JSON.stringify(id)}`);
  if (another !== undefined) throw new CommandFailure(`more than one initial access token has the id ${id}`);
  return token;
}
