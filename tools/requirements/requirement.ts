/** A sentence of a specification with MUST, MUST NOT, SHALL or REQUIRED, in our own words. */
export interface Requirement {
  /** `§3.2.1`; of the conformance suite, a module's name. */
  readonly section: string;
  readonly words: string;
  readonly tests: readonly TestReference[];
  /** Why no test proves it, or what is decided instead, with the decision's number. */
  readonly reason?: string;
}

/** A test file, and the beginning of the name of exactly one test in it. */
export interface TestReference {
  readonly file: string;
  readonly name: string;
}

export interface Specification {
  readonly title: string;
  /** What the table leaves out, and why; one paragraph. */
  readonly scope: string;
  readonly requirements: readonly Requirement[];
}

export type TestsIn = (...names: readonly string[]) => readonly TestReference[];

export function testsIn(file: string): TestsIn {
  return (...names) => names.map((name) => ({ file, name }));
}

export function must(section: string, words: string, ...tests: (readonly TestReference[])[]): Requirement {
  return { section, words, tests: tests.flat() };
}

/** A requirement that is met in a way that needs a word, or that a decision puts something else in place of. */
export function decided(
  section: string,
  words: string,
  reason: string,
  ...tests: (readonly TestReference[])[]
): Requirement {
  return { ...must(section, words, ...tests), reason };
}

/** Listed because leaving it out would look like an omission. */
export function client(section: string, words: string): Requirement {
  return { section, words, tests: [], reason: 'binds the client' };
}
