/**
 * Returns a text of a stranger for the log: at most `max` characters and then `...`; others than printable ASCII are escaped.
 */
export function shownText(value: string, max: number): string {
  const text = value
    .slice(0, max)
    .replaceAll(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return value.length > max ? `${text}...` : text;
}
