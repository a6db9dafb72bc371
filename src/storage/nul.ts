/**
 * PostgreSQL has no place for text with a NUL (U+0000), SQLite has: neither stores it, so that both give the same answer.
 * What comes from outside is refused where it is parsed, or kept as JSON, which escapes it.
 * @throws Error where a text of the values has one
 */
export function refuseNul(values: unknown): void {
  if (typeof values === 'string') {
    if (values.includes('\0')) throw new Error('text with NUL cannot be stored');
  } else if (typeof values === 'object' && values !== null) {
    for (const value of Object.values(values)) refuseNul(value);
  }
}
