import type { AuditEvent } from '../../ports/audit-log.ts';
import { newRequestId } from '../registry-session.ts';

/** The event that each tenant's audit goes on with. */
export function restoreEvent(taken_at: number, now: number): AuditEvent {
  return {
    at: now,
    action: 'storage.restore',
    outcome: 'done',
    actor: 'cli',
    client_id: null,
    request_id: newRequestId(),
    detail: `backup of ${timeOf(taken_at)}`,
  };
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** What a registry of yesterday does not know, in the order of how bad it is. */
export function whatToDo(taken_at: number): readonly string[] {
  return [
    `Nothing after ${timeOf(taken_at)} is known any more. Before servers start:`,
    '  - Keys that were revoked since sign and verify again: chancery keys list, chancery keys revoke KID --compromised.',
    '  - Accounts that were disabled or deleted since can sign in again, with the passwords of then: chancery accounts list.',
    '  - Clients that were deleted since are there again: chancery clients list, chancery clients delete ID.',
    '  - Initial access tokens that were used or revoked since are good again: chancery iat list, chancery iat revoke ID.',
    '  - Secrets and registration tokens that were replaced since are good again, and the newer ones are refused. The log',
    '    says "registration token is wrong, or newer than the restored record" of every client that comes with one:',
    '    chancery clients rotate-secret ID, or let it register again.',
    '  - Access and refresh tokens that were revoked since are active again until they expire, and sessions that were ended',
    '    since are open again. Clients, accounts and tokens that were made since are unknown.',
    '  - Assertions and codes that were used since can be used once more until they expire; the longer no server runs, the',
    '    fewer they are.',
  ];
}
