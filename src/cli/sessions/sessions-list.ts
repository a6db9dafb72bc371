import { parseArgs } from 'node:util';
import type { SessionStore, StoredSession } from '../../ports/session-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { table, timeText } from '../table.ts';
import { SUBJECT_OPTION, subjectOperands } from './subject-operand.ts';

const HEADS = ['SESSION', 'SIGNED IN', 'LAST SEEN', 'ENDS', 'CLIENTS'];

/** The sessions of an end-user, the one seen last first; the expired are none. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, ...SUBJECT_OPTION },
  });
  const subject = subjectOperands(positionals, values.sub);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { sessions } = session.tenant.storage;
    const now = session.needs.clock.now();
    const live = (await sessions.ofSubject(await subject.find(session))).filter(
      (one) => one.expires_at > now,
    );
    const rows = await Promise.all(live.map(async (one) => await members(sessions, one)));
    if (json) for (const row of rows) context.print(JSON.stringify(row));
    else table(context.print, HEADS).print(rows.map(cells));
    return 0;
  });
};

interface Row
  extends Pick<StoredSession, 'sid' | 'auth_time' | 'acr' | 'amr' | 'last_seen_at' | 'expires_at'> {
  readonly clients: readonly ClientId[];
}

async function members(
  sessions: Pick<SessionStore, 'clients'>,
  { sid, auth_time, acr, amr, last_seen_at, expires_at }: StoredSession,
): Promise<Row> {
  const clients = (await sessions.clients(sid)).map(({ client_id }) => client_id);
  return { sid, auth_time, acr, amr, last_seen_at, expires_at, clients };
}

function cells({ sid, auth_time, last_seen_at, expires_at, clients }: Row): readonly string[] {
  const times = [auth_time, last_seen_at, expires_at].map((time) => timeText(time, '-'));
  return [sid, ...times, clients.join(' ') || '-'];
}
