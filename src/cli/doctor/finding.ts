/** The outcome of one check of `chancery doctor`. */
export interface Finding {
  /** The thing that was examined, in a few words: `discovery`, `keys`, `clock`. */
  readonly about: string;
  readonly level: 'good' | 'warning' | 'problem';
  /** One sentence without a full stop. */
  readonly says: string;
  /** Why that matters. Absent for a good outcome. */
  readonly reason?: string;
  /** The act that mends it. Absent for a good outcome. */
  readonly remedy?: string;
}

interface Advice {
  readonly reason: string;
  readonly remedy: string;
}

export const good = (about: string, says: string): Finding => ({ about, level: 'good', says });

export const warning = (about: string, says: string, advice: Advice): Finding => ({
  about,
  level: 'warning',
  says,
  ...advice,
});

export const problem = (about: string, says: string, advice: Advice): Finding => ({
  about,
  level: 'problem',
  says,
  ...advice,
});
