/** What is wrong with one setting. It never holds the value of a secret. */
export interface SettingsProblem {
  /** The setting's path, or the unknown key or variable. */
  readonly path: string;
  /** The YAML file, or the environment variable, that holds the value or should. */
  readonly source: string;
  /** Words that follow the path: "must be an integer from 0 to 65535". */
  readonly rule: string;
  /** The refused value, shortened; absent for secrets. */
  readonly found?: string;
}

/** `path: rule, found "…" (source)`, in one line. */
export function problemLine({ path, source, rule, found }: SettingsProblem): string {
  return `${path}: ${rule}${found === undefined ? '' : `, found ${found}`} (${source})`;
}

/** Carries every problem at once, so that an operator corrects all of them before the next start. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    super(problems.map(problemLine).join('\n'));
    this.problems = problems;
  }
}
