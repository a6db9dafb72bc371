/** Slow hashes of human passwords, as PHC strings. Both verbs leave the event loop free. */
export interface PasswordHasher {
  /** @throws TooManyRequests when more passwords wait than can be hashed */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` has this hash. Without a hash false, after the time that one made now would take.
   * @throws TooManyRequests when more passwords wait than can be checked
   */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether `hash` was made with other parameters than a new one would be. */
  isOutdated(hash: string): boolean;
}
