import type { Sealed } from '../spec/identifiers.ts';

/** Encryption of what the database must give back: client secrets, registration tokens, private keys. */
export interface Sealer {
  /** `place` is authenticated with the text: what was sealed for one place does not open at another. */
  seal(plaintext: string, place: string): Sealed;
  /** Throws `SealBroken` when the text was sealed for another place, with an unknown key, or was changed. */
  open(sealed: Sealed, place: string): string;
  /** Whether `sealed` was made with the key that `seal` uses now. */
  isCurrent(sealed: Sealed): boolean;
}

export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}
