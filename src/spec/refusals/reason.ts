/** Words about one reason in the log, for an operator and for the developer of a client. */
export interface ReasonWords {
  /** The facts, in one or two sentences. */
  readonly means: string;
  /** The change that the client needs. */
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
