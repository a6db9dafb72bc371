import { randomInt } from 'node:crypto';
import type { RecordedAuditEvent } from '../../src/ports/audit-log.ts';
import type { StoredLogoutNotification } from '../../src/ports/logout-notification-store.ts';
import type { TenantStorage } from '../../src/ports/storage.ts';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import type { Program } from '../program/start.ts';
import { storageAt } from '../program/storage-place.ts';
import type { EndUsers, ExpectedCode } from './end-users.ts';
import { expectedRegistry } from './expected-registry.ts';
import type { Registration } from './ledger.ts';
import { introspect } from './registry-calls.ts';
import type { Stand } from './stand.ts';
import type { Findings } from './verify-registry.ts';

/** The newest used assertions, codes and pushed requests that are tried again. */
const AGAIN_MAX = 40;
const PAGE = 1000;

interface Verification {
  readonly program: Program;
  readonly inspector: Registration;
  readonly endUsers: EndUsers;
  readonly findings: Findings;
}

/** Looks for everything that end-users and their clients were promised, after a fault. */
export async function verifyEndUsers(verification: Verification, url: string): Promise<void> {
  const { endUsers, program } = verification;
  endUsers.program = program;
  await verifySessions(verification);
  await verifyPushed(verification);
  await verifyCodes(verification);
  await verifyAssertions(verification);
  await verifyKeys(verification);
  await endUsers.signIn();
  const storage = await storageAt(url);
  try {
    await verifyNotifications(verification, storage.forTenant(DEFAULT_TENANT));
  } finally {
    await storage.close();
  }
}

async function verifySessions({ endUsers, findings }: Verification): Promise<void> {
  for (const session of endUsers.sessions) {
    if (session.state === 'unknown') continue;
    const isSignedIn = await endUsers.authorize(session);
    if (session.state === 'live' && !isSignedIn) findings.lost.push('a session, or its consent');
    if (session.state === 'ended' && isSignedIn) findings.revoked_active.push('a session that has ended');
  }
}

async function verifyPushed({ endUsers, findings }: Verification): Promise<void> {
  const session = endUsers.sessions.find(({ state }) => state === 'live');
  if (session === undefined) return;
  for (const pushed of endUsers.pushed.slice(-AGAIN_MAX)) {
    const { state } = pushed;
    if (state === 'unknown') continue;
    const taken = await endUsers.usePushed(pushed, session);
    if (state === 'unused' && !taken) findings.lost.push('a pushed request');
    if (state === 'used' && taken) findings.used_twice.push('a pushed request');
  }
}

/** Unused codes are used, so that none expires; half of the used ones are used again, which ends their grants. */
async function verifyCodes(verification: Verification): Promise<void> {
  const { endUsers, findings } = verification;
  for (const code of endUsers.codes.slice(-2 * AGAIN_MAX)) {
    const { state, session } = code;
    if (state === 'unknown' || session.state === 'unknown') continue;
    if (state === 'unused' && session.state === 'live') {
      const status = await endUsers.redeem(code);
      if (status !== 200) findings.lost.push(`an authorisation code: ${status}`);
    }
    await verifyToken(verification, code);
    if (state !== 'used' || randomInt(2) === 0) continue;
    const again = await endUsers.redeem(code);
    if (again === 200) findings.used_twice.push('an authorisation code');
    await verifyToken(verification, code);
  }
}

async function verifyToken(
  { program, inspector, findings }: Verification,
  { accessToken, session, state }: ExpectedCode,
): Promise<void> {
  if (accessToken === undefined) return;
  const { status, body } = await introspect(program, inspector, accessToken);
  if (status !== 200) throw new Error(`introspection by the inspector: ${status}`);
  const { active } = body as { readonly active: boolean };
  const isGood = session.state === 'live' && state === 'used';
  if (isGood && !active) findings.lost.push('an access token of a session');
  if (!isGood && active)
    findings.revoked_active.push('an access token of a session, or of a code used twice');
}

async function verifyAssertions({ endUsers, findings }: Verification): Promise<void> {
  for (const assertion of endUsers.assertions.slice(-AGAIN_MAX)) {
    if (assertion.state !== 'used') continue;
    const status = await endUsers.assert(assertion);
    if (status !== 401) findings.used_twice.push(`an assertion: ${status}`);
  }
}

async function verifyKeys({ endUsers, findings }: Verification): Promise<void> {
  const kids = await endUsers.seeKeys();
  for (const kid of endUsers.kids) if (!kids.includes(kid)) findings.lost.push(`the server key ${kid}`);
  for (const kid of kids) endUsers.kids.add(kid);
}

/** A session that has ended has a notification for each client that took part, until long after its delivery. */
async function verifyNotifications(
  { endUsers, findings }: Verification,
  { logoutNotifications }: TenantStorage,
): Promise<void> {
  const noted = new Set<string>();
  let page: readonly StoredLogoutNotification[] = [];
  do {
    page = await logoutNotifications.page(page.at(-1), PAGE);
    for (const { sid } of page) noted.add(sid);
  } while (page.length > 0);
  for (const { state, sid } of endUsers.sessions) {
    if (state === 'ended' && sid !== undefined && !noted.has(sid))
      findings.lost.push('the notification of a logout');
  }
}

/** Looks for the audit event of each acknowledged registration, update and deletion. */
export async function verifyAudit({ ledger, url }: Stand, findings: Findings): Promise<void> {
  const { clients } = expectedRegistry(ledger.entries());
  const storage = await storageAt(url);
  const counted = new Map<string, number>();
  try {
    const { audit } = storage.forTenant(DEFAULT_TENANT);
    let page: readonly RecordedAuditEvent[] = [];
    let last = 0;
    do {
      page = await audit.page(last, PAGE);
      last = page.at(-1)?.sequence ?? last;
      for (const { action, outcome, client_id } of page) {
        const event = `${action} ${client_id}`;
        if (outcome === 'done') counted.set(event, (counted.get(event) ?? 0) + 1);
      }
    } while (page.length > 0);
  } finally {
    await storage.close();
  }
  for (const [client_id, { former, deleted }] of clients) {
    const expected = { create: 1, update: former.length, delete: deleted ? 1 : 0 };
    for (const [action, count] of Object.entries(expected)) {
      const found = counted.get(`client.${action} ${client_id}`) ?? 0;
      if (found < count) findings.lost.push(`${count - found} audit events client.${action} of ${client_id}`);
    }
  }
}
