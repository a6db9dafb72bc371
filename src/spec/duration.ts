const UNIT_MS = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

type Unit = keyof typeof UNIT_MS;

/** A duration in words of the reader: `90s`, `10m`, `1h30m`, `30d`. Each unit stands at most once, the largest first. */
export const DURATION =
  /^(?=\d)(?:(?<w>\d{1,9})w)?(?:(?<d>\d{1,9})d)?(?:(?<h>\d{1,9})h)?(?:(?<m>\d{1,9})m(?!s))?(?:(?<s>\d{1,9})s)?(?:(?<ms>\d{1,9})ms)?$/u;

/** Returns the milliseconds of a duration such as `1h30m`; undefined for any other text, a plain number included. */
export function durationMs(text: string): number | undefined {
  const found = DURATION.exec(text)?.groups;
  if (found === undefined) return undefined;
  return Object.entries(UNIT_MS).reduce(
    (total, [unit, ms]) => total + Number(found[unit as Unit] ?? 0) * ms,
    0,
  );
}
