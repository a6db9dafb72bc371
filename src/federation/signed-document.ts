import type { JwkSet, ServerKeys } from '../keys/server-keys.ts';
import type { Clock } from '../ports/clock.ts';

export interface SignedDocumentNeeds {
  readonly keys: Pick<ServerKeys['federation'], 'sign' | 'jwks'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Seconds for which one signature is given out: anyone may ask for it, and a signature costs more than an answer. */
  readonly keptFor: number;
}

export interface DocumentForm {
  readonly typ: string;
  /** Names what the claims are made of besides the federation keys and the time: another text for another document. */
  readonly basis: () => Promise<string>;
  readonly claims: (
    federationKeys: JwkSet['keys'],
    now: number,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

interface Kept {
  readonly jwt: Promise<string>;
  /** Of the federation keys and of the rest. */
  readonly basis: string;
  readonly until: number;
}

/** A JWT that anyone may have, signed with the federation key: made again when it grows old, or when what is in it changes. */
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
      // A failure is nobody's document.
      jwt.catch(() => {
        kept = undefined;
      });
    }
    return await kept.jwt;
  };
}

/** Keys do not change under their names: a generated key is named by its thumbprint, a configured one changes with a start. */
export function keyNames({ keys }: JwkSet): string {
  return keys.map(({ kid }) => String(kid)).join(' ');
}
