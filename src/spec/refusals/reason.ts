/** What an operator and the developer of a client need to know about one reason in the log. */
export interface ReasonWords {
  /** The facts, in one or two sentences. */
  readonly means: string;
  /** What to change at the client. */
  readonly change: string;
  /** Paths of settings that decide about it. */
  readonly settings: readonly string[];
}

/** Makes a row of a table of reasons. */
export const reason = (means: string, change: string, ...settings: readonly string[]): ReasonWords => ({
  means,
  change,
  settings,
});
