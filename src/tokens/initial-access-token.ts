import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Log } from '../ports/log.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { type AccessTokenNeeds, scopeOf } from './access-token.ts';

/** The client that introspection names for an initial access token: it is issued to nobody who is registered yet. */
export const NO_CLIENT = 'chancery' as ClientId;

/** Stores a minted token as one that is good for one registration, with what an operator wants to know of it later. */
export async function issueInitialAccessToken(
  needs: AccessTokenNeeds & { readonly log: Log },
  token: StoredAccessToken,
  about: { readonly label: string; readonly redirect_hosts: readonly string[] | null },
  by: { readonly actor: string; readonly request_id: string },
): Promise<void> {
  const issued_at = needs.clock.now();
  const event: AuditEvent = {
    ...by,
    at: issued_at,
    action: 'initial-access-token.create',
    outcome: 'done',
    client_id: null,
    detail: about.label === '' ? null : about.label,
  };
  await needs.store.issueInitial(token, { ...about, issued_at, scope: scopeOf(token).join(' ') }, event);
  needs.log.info({ ...event }, 'audit');
}
