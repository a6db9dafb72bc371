/** Slow hashes of passwords, as PHC strings. Both verbs run off the event loop. */
export interface PasswordHasher {
  /** @throws TooManyRequests when more passwords wait than can be hashed */
  hash(password: string): Promise<string>;
  /**
   * Returns whether the password has this hash. Without a hash it returns false after the same time.
   * @throws TooManyRequests when more passwords wait than can be checked
   */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Returns whether the hash has other parameters than a new hash would have. */
  isOutdated(hash: string): boolean;
}
