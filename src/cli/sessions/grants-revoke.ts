import type { AuditEvent } from '../../ports/audit-log.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import { actorOf } from '../accounts/account-operand.ts';
import type { RegistrySession } from '../registry-session.ts';
import { endAllOrOne } from './end-all-or-one.ts';

/** Ends one grant about somebody, or all of them, with every token of it. */
export const run = endAllOrOne({
  noun: 'grant',
  ofSubject: async ({ tenant }, sub) => await tenant.storage.grants.ofSubject(sub),
  idOf: ({ grant_id }) => grant_id,
  end: async (session, grant) =>
    await session.tenant.storage.grants.end(grant.grant_id, grantEnded(session, grant)),
});

function grantEnded(session: RegistrySession, { sub, client_id }: StoredGrant): AuditEvent {
  const at = session.needs.clock.now();
  return { at, action: 'grant.end', outcome: 'done', client_id, detail: `sub ${sub}`, ...actorOf(session) };
}
