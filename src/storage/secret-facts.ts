import type { StoredSecret } from '../ports/client-store.ts';
import { CLIENT_SECRET_CREDENTIAL } from '../spec/security-events.ts';
import type { Facts } from './signal-facts.ts';

type Secrets = readonly Pick<StoredSecret, 'digest' | 'expires_at'>[];

/**
 * Returns what the streams of a client tell of a change of its secrets (OpenID CAEP 1.0 §3.2); undefined if they stay the same. A
 * secret that is only encrypted anew is the same.
 */
export function secretFacts(before: Secrets, after: Secrets): Facts | undefined {
  const added = after.filter(({ digest }) => !before.some((old) => old.digest === digest));
  const removed = before.filter(({ digest }) => !after.some((kept) => kept.digest === digest));
  const limited = after.some(({ digest, expires_at }) =>
    before.some((old) => old.digest === digest && old.expires_at !== expires_at),
  );
  if (added.length === 0 && removed.length === 0 && !limited) return undefined;
  const isReplaced = limited || (added.length > 0 && removed.length > 0);
  const change_type = isReplaced ? 'update' : added.length > 0 ? 'create' : 'revoke';
  return { kind: 'credential-change', credential_type: CLIENT_SECRET_CREDENTIAL, change_type };
}
