/**
 * A sentence of a specification with MUST, MUST NOT, SHALL or REQUIRED, in our own words. The tests that prove it
 * carry its id in a comment directly above them: `// proves rfc7662-2.1-3`.
 */
export interface Requirement {
  /** Specification, section and running number: `rfc7662-2.1-3`. It never changes, and no other row ever gets it. */
  readonly id: string;
  /** `§3.2.1`, or the name of a module of the conformance suite. */
  readonly section: string;
  readonly words: string;
  /** Why no test proves it, or what is decided instead, with the decision's number. */
  readonly reason?: string;
  /**
   * Names of the functions and constants that implement it, or paths of files. Without them, the map links to the
   * program files that cite the section.
   */
  readonly code: readonly string[];
  readonly binds: 'server' | 'client';
}

export interface Specification {
  /** The spelling of citations: `RFC 7662`. Tables of one name share a page. */
  readonly name: string;
  readonly title?: string;
  /** Says what the table covers and leaves out, and why; one paragraph. */
  readonly scope: string;
  readonly requirements: readonly Requirement[];
}

export function must(id: string, section: string, words: string, ...code: readonly string[]): Requirement {
  return { id, section, words, code, binds: 'server' };
}

/** Returns a requirement that a decision replaces, or that needs an explanation. */
export function decided(
  id: string,
  section: string,
  words: string,
  reason: string,
  ...code: readonly string[]
): Requirement {
  return { ...must(id, section, words, ...code), reason };
}

/** Returns a requirement that no test proves, because it binds the client. The table has it for completeness. */
export function client(id: string, section: string, words: string): Requirement {
  return { id, section, words, reason: 'binds the client', code: [], binds: 'client' };
}
