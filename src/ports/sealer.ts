import type { Sealed } from '../spec/identifiers.ts';

/** Encrypts data that the database must return: client secrets, registration tokens, private keys. */
export interface Sealer {
  /** Encrypts a text. `place` is associated data: the ciphertext does not decrypt at another place. */
  seal(plaintext: string, place: string): Sealed;
  /** Decrypts a text. Throws `SealBroken` if it was sealed for another place, with an unknown key, or was altered. */
  open(sealed: Sealed, place: string): string;
  /** Returns whether `sealed` was made with the key that `seal` uses now. */
  isCurrent(sealed: Sealed): boolean;
}

export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}
