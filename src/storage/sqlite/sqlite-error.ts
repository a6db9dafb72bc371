/** Primary result codes (https://www.sqlite.org/rescode.html). */
const SQLITE = {
  BUSY: 5,
  IOERR: 10,
  CORRUPT: 11,
  TOOBIG: 18,
  CONSTRAINT: 19,
  MISMATCH: 20,
  NOTADB: 26,
} as const;

/** Undefined for an error that SQLite did not raise, such as a value that cannot be bound. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

export const isBusy = (error: unknown): boolean => primaryCode(error) === SQLITE.BUSY;

export const isInputOutputError = (error: unknown): boolean => primaryCode(error) === SQLITE.IOERR;

/** The file is not what SQLite wrote. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE.CORRUPT || code === SQLITE.NOTADB;
}

/** Whether the fault lies in the values of one act, so that its neighbours in the transaction may go on. */
export function concernsOneWrite(error: unknown): boolean {
  const code = primaryCode(error);
  return (
    code === undefined || code === SQLITE.CONSTRAINT || code === SQLITE.TOOBIG || code === SQLITE.MISMATCH
  );
}

/** One line, with SQLite's own number where there is one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'errcode' in error ? ` (SQLite ${String(error.errcode)})` : '';
  return `${error.message}${code}`.replaceAll(/\s+/g, ' ');
}
