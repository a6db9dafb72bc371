/** Returns a time as RFC 3339 text in UTC with seconds, such as `2026-11-23T05:00:00Z`. @param seconds since the Unix epoch */
export const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/u, 'Z');

/** Returns null for never. */
export const timeOrNever = (seconds: number | null): string | null =>
  seconds === null ? null : timeText(seconds);

/** Reads a time that `timeText` made. @returns seconds since the Unix epoch; undefined for a day or an hour that does not exist */
export function secondsOf(text: string): number | undefined {
  const seconds = Date.parse(text) / 1000;
  return Number.isSafeInteger(seconds) && timeText(seconds) === text ? seconds : undefined;
}
