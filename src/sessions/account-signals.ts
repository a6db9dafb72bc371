import type { StoredAccount } from '../ports/account-store.ts';
import type { AccountSignal } from '../ports/event-stream-store.ts';
import type { JsonValue } from '../spec/json.ts';
import { canonical } from '../spec/subject-identifier.ts';

/** Returns what clients with sessions or grants of an account learn of its change (OpenID CAEP 1.0 §3.2, §3.3). */
export function accountSignals(before: StoredAccount, after: StoredAccount): readonly AccountSignal[] {
  const { sub } = before;
  const signals: AccountSignal[] = [];
  if (before.password_hash !== after.password_hash)
    signals.push({
      kind: 'credential-change',
      sub,
      facts: { credential_type: 'password', change_type: changeOf(before, after) },
    });
  const claims = changedClaims(before, after);
  if (Object.keys(claims).length > 0) signals.push({ kind: 'token-claims-change', sub, facts: { claims } });
  return signals;
}

function changeOf(before: StoredAccount, after: StoredAccount): 'create' | 'delete' | 'update' {
  if (before.password_hash === null) return 'create';
  return after.password_hash === null ? 'delete' : 'update';
}

/** Returns the new values of the claims that changed; null for one that is gone. */
function changedClaims(before: StoredAccount, after: StoredAccount): Readonly<Record<string, JsonValue>> {
  const [old, next] = [claimsOf(before), claimsOf(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => canonical(old[name] ?? null) !== canonical(next[name] ?? null))
      .map((name) => [name, next[name] ?? null]),
  );
}

/** With the name of the account, which is a claim too (OpenID Connect Core 1.0 §5.1). */
const claimsOf = ({ claims, username }: StoredAccount): Readonly<Record<string, JsonValue>> => ({
  preferred_username: username,
  ...(JSON.parse(claims) as Readonly<Record<string, JsonValue>>),
});
