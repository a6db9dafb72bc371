import type { JwkSet, ServerKeys } from '../keys/server-keys.ts';
import type { Clock } from '../ports/clock.ts';

export interface SignedDocumentNeeds {
  readonly keys: Pick<ServerKeys['federation'], 'sign' | 'jwks'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Seconds for which one signature is reused. Anyone can request the document, and signing is expensive. */
  readonly keptFor: number;
}

export interface DocumentForm {
  readonly typ: string;
  /** Returns a text that changes when the claims change for another reason than the federation keys or the time. */
  readonly basis: () => Promise<string>;
  readonly claims: (
    federationKeys: JwkSet['keys'],
    now: number,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

interface Kept {
  readonly jwt: Promise<string>;
  /** The key ids and the `basis` of the form when the document was signed. */
  readonly basis: string;
  readonly until: number;
}

/** Returns a public JWT signed with the federation key. Signs it again when `keptFor` has passed or its content changes. */
export function signedDocument(
  { keys, clock, keptFor }: SignedDocumentNeeds,
  { typ, basis, claims }: DocumentForm,
): () => Promise<string> {
  let kept: Kept | undefined;
  const sign = async (set: JwkSet, now: number): Promise<string> =>
    await keys.sign(await claims(set.keys, now), { typ });
  return async () => {
    const set = await keys.jwks();
    const current = `${keyNames(set)} ${await basis()}`;
    const now = clock.now();
    if (kept === undefined || kept.basis !== current || now >= kept.until) {
      const jwt = sign(set, now);
      kept = { jwt, basis: current, until: now + keptFor };
      // A failed signature must not be reused.
      jwt.catch(() => {
        kept = undefined;
      });
    }
    return await kept.jwt;
  };
}

/**
 * Returns the key ids of a set as one text. A key never changes under its id: the id of a generated key is its thumbprint, and
 * a configured key changes only with a restart.
 */
export function keyNames({ keys }: JwkSet): string {
  return keys.map(({ kid }) => String(kid)).join(' ');
}
