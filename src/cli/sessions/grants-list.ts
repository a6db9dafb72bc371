import { parseArgs } from 'node:util';
import type { StoredGrant } from '../../ports/grant-store.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { table, timeText } from '../table.ts';
import { SUBJECT_OPTION, subjectOperands } from './subject-operand.ts';

const HEADS = ['GRANT', 'CLIENT', 'CREATED', 'EXPIRES', 'SESSION', 'SCOPE'];

/** What clients may do for somebody, the oldest first; never a token. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, ...SUBJECT_OPTION },
  });
  const subject = subjectOperands(positionals, values.sub);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const now = session.needs.clock.now();
    const all = await session.tenant.storage.grants.ofSubject(await subject.find(session));
    const live = all.filter(({ expires_at }) => expires_at === null || expires_at > now);
    if (json) for (const grant of live) context.print(JSON.stringify(members(grant)));
    else table(context.print, HEADS).print(live.map(cells));
    return 0;
  });
};

function members(grant: StoredGrant): object {
  const { grant_id, client_id, created_at, expires_at, sid, refresh_token } = grant;
  const refreshable = refresh_token !== null;
  return {
    grant_id,
    client_id,
    created_at,
    expires_at,
    sid: sid ?? null,
    scope: scopeOf(grant),
    refreshable,
  };
}

function cells(grant: StoredGrant): readonly string[] {
  const { grant_id, client_id, created_at, expires_at, sid } = grant;
  const times = [timeText(created_at, '-'), timeText(expires_at, 'never')];
  return [grant_id, client_id, ...times, sid ?? '-', scopeOf(grant).join(' ') || '-'];
}

function scopeOf({ authorization }: StoredGrant): readonly string[] {
  const { scope } = JSON.parse(authorization) as { readonly scope?: readonly string[] };
  return scope ?? [];
}
