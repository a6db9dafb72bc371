/** A problem of one setting. It never holds the value of a secret. */
export interface SettingsProblem {
  /** The setting's path, or the unknown key or variable. */
  readonly path: string;
  /** The YAML file or environment variable that holds the value, or that should hold it. */
  readonly source: string;
  /** Words that follow the path: "must be an integer from 0 to 65535". */
  readonly rule: string;
  /** The refused value, shortened. Absent for secrets. */
  readonly found?: string;
}

/** Returns a problem as one line: `path: rule, found "…" (source)`. */
export function problemLine({ path, source, rule, found }: SettingsProblem): string {
  return `${path}: ${rule}${found === undefined ? '' : `, found ${found}`} (${source})`;
}

/** Carries all problems, so that an operator can correct them before the next start. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    super(problems.map(problemLine).join('\n'));
    this.problems = problems;
  }
}
