import type { AccessTokenStore } from '../ports/access-token-store.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { AuditEvent, AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { Subject } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import type { SubjectIdentifier } from '../spec/subject-identifier.ts';

export interface GlobalRevocationNeeds {
  readonly issuer: string;
  readonly storage: {
    readonly accounts: Pick<AccountStore, 'find' | 'findByLoginName' | 'replace'>;
    readonly sessions: Pick<SessionStore, 'ofSubject' | 'end'>;
    readonly grants: Pick<GrantStore, 'ofSubject' | 'end'>;
    readonly accessTokens: Pick<AccessTokenStore, 'list' | 'revoke'>;
    readonly audit: Pick<AuditLog, 'append'>;
  };
  readonly clock: Clock;
}

/**
 * Returns the person that a subject identifier names, known or not: `iss_sub` of this issuer, `opaque` with the subject, and
 * `account` with a login name at the host of the issuer (RFC 9493 §3.2).
 */
export async function subjectNamed(
  { issuer, storage }: Pick<GlobalRevocationNeeds, 'issuer' | 'storage'>,
  subject: SubjectIdentifier,
): Promise<{ readonly sub: Subject } | { readonly fault: string }> {
  const { format, iss, sub, id, uri } = subject;
  if (format === 'opaque') return { sub: id as Subject };
  if (format === 'iss_sub')
    return iss === issuer
      ? { sub: sub as Subject }
      : { fault: `has the issuer ${JSON.stringify(iss)}; this server is ${issuer}` };
  const { host } = new URL(issuer);
  const account = format === 'account' && typeof uri === 'string' ? uri : '';
  const [, user, domain] = /^acct:(.+)@([^@]+)$/u.exec(account) ?? [];
  if (user === undefined || domain !== host)
    return { fault: `must have the format iss_sub, opaque, or account with acct:NAME@${host}` };
  const name = loginName(decodedOnce(user));
  const found = name === undefined ? undefined : await storage.accounts.findByLoginName(name);
  return { sub: found?.sub ?? ('' as Subject) };
}

/** RFC 7565 §4: the name is percent-encoded. */
function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const PAGE = 100;

/**
 * Ends all sessions, grants and tokens of a person. An account gets a new version, so that sign-ins under way fail. A call that was
 * cut off can be repeated: what has ended stays ended.
 * @returns false if the server does not know this person
 */
export async function revokeEverything(
  needs: GlobalRevocationNeeds,
  sub: Subject,
  event: AuditEvent,
): Promise<boolean> {
  if (sub === '') return false;
  const isAccount = await endedByAccount(needs, sub, event);
  const { sessions, grants, audit } = needs.storage;
  let ended = 0;
  for (const { key, sid } of await sessions.ofSubject(sub))
    if ((await sessions.end(key, { ...event, action: 'session.end', detail: `sid ${sid}` })) !== undefined)
      ended += 1;
  for (const { grant_id, client_id } of await grants.ofSubject(sub))
    if (await grants.end(grant_id, { ...event, action: 'grant.end', client_id })) ended += 1;
  ended += await endedTokens(needs, sub, event);
  if (!isAccount && ended > 0) await audit.append(event);
  return isAccount || ended > 0;
}

/** Ends sessions and grants of an account in one write. Returns whether there is an account. */
async function endedByAccount(
  { storage: { accounts }, clock }: GlobalRevocationNeeds,
  sub: Subject,
  event: AuditEvent,
): Promise<boolean> {
  for (;;) {
    const account = await accounts.find(sub);
    if (account === undefined) return false;
    const changed = { ...account, version: account.version + 1, updated_at: clock.now() };
    const replacement = { expectedVersion: account.version, endAll: true, event };
    if ((await accounts.replace(changed, replacement)) === 'done') return true;
  }
}

/** Revokes tokens without a grant, which the operator gave for the person. */
async function endedTokens(
  { storage: { accessTokens }, clock }: GlobalRevocationNeeds,
  sub: Subject,
  event: AuditEvent,
): Promise<number> {
  let ended = 0;
  for (;;) {
    const now = clock.now();
    const range = { limit: PAGE, after: undefined, examined: PAGE };
    const { rows } = await accessTokens.list({ sub, now }, range);
    for (const { key, client_id } of rows)
      if (await accessTokens.revoke(key, now, { ...event, action: 'token.revoke', client_id })) ended += 1;
    if (rows.length < PAGE) return ended;
  }
}
