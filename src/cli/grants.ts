import type { AuditEvent } from '../ports/audit-log.ts';
import type { StoredGrant } from '../ports/grant-store.ts';
import { actorOf } from './accounts.ts';
import { type Command, command } from './command.ts';
import type { RegistrySession } from './registry-session.ts';
import { READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { endingCommand, SUBJECT_OPERAND, SUBJECT_OPTIONS, subjectOf } from './sessions.ts';
import { SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';

const HEADS = ['GRANT', 'CLIENT', 'CREATED', 'EXPIRES', 'SESSION', 'SCOPE'];

const list = command({
  words: ['grants', 'list'],
  summary: 'List the grants of an end-user: which client may do what',
  description: [
    'The oldest grant comes first. Expired grants are left out. The command never shows a token.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: SUBJECT_OPERAND,
  options: SUBJECT_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'A table with one line for each grant. With --json, one JSON object per line; `refreshable` says whether there is a refresh token.',
  examples: ['chancery grants list ada'],
  run: async (call) => {
    const find = subjectOf(call);
    await withRegistry(call, { create: false }, async (session) => {
      const now = session.needs.clock.now();
      const all = await session.tenant.storage.grants.ofSubject(await find(session));
      const live = all.filter(({ expires_at }) => expires_at === null || expires_at > now);
      if (call.options.json) for (const grant of live) call.print(JSON.stringify(members(grant)));
      else table(call.print, HEADS).print(live.map(cells));
    });
  },
});

function members(grant: StoredGrant): object {
  const { grant_id, client_id, created_at, expires_at, sid, refresh_token } = grant;
  const refreshable = refresh_token !== null;
  const { scope = [], authorization_details = [] } = authorizationOf(grant);
  return {
    grant_id,
    client_id,
    created_at,
    expires_at,
    sid: sid ?? null,
    scope,
    authorization_details,
    refreshable,
  };
}

function cells(grant: StoredGrant): readonly string[] {
  const { grant_id, client_id, created_at, expires_at, sid } = grant;
  const times = [timeText(created_at, '-'), timeText(expires_at, 'never')];
  return [grant_id, client_id, ...times, sid ?? '-', (authorizationOf(grant).scope ?? []).join(' ') || '-'];
}

interface Authorization {
  readonly scope?: readonly string[];
  readonly authorization_details?: readonly object[];
}

const authorizationOf = ({ authorization }: StoredGrant): Authorization =>
  JSON.parse(authorization) as Authorization;

const revoke = endingCommand<StoredGrant>(
  {
    noun: 'grant',
    ofSubject: async ({ tenant }, sub) => await tenant.storage.grants.ofSubject(sub),
    idOf: ({ grant_id }) => grant_id,
    end: async (session, grant) =>
      (await session.tenant.storage.grants.end(grant.grant_id, grantEnded(session, grant))) ? {} : undefined,
  },
  {
    words: ['grants', 'revoke'],
    summary: 'Revoke one grant of an end-user, or all grants',
    description: [
      'All access tokens and the refresh token of a grant become invalid with it. The client needs a new authorisation by the end-user. This cannot be undone.',
      'The sessions of the end-user go on: `chancery sessions end` ends them.',
    ],
    examples: ['chancery grants revoke ada', 'chancery grants revoke ada 0aXw5pRkZ3mB7cYd'],
  },
);

function grantEnded(session: RegistrySession, { sub, client_id }: StoredGrant): AuditEvent {
  const at = session.needs.clock.now();
  return { at, action: 'grant.end', outcome: 'done', client_id, sub, detail: null, ...actorOf(session) };
}

export const GRANT_COMMANDS: readonly Command[] = [list, revoke];
