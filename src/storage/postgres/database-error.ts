import { StorageUnavailable } from '../../ports/storage.ts';

/** PostgreSQL documentation, "Appendix A. PostgreSQL Error Codes". */
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const READ_ONLY_SQL_TRANSACTION = '25006';
/** Shutdowns and crashes of the server, its recovery; a cancelled statement, a lock that was not to be had. */
const AWAY: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53300',
  '57014',
  '55P03',
  '25P03',
]);

/** Undefined for an error that the server did not raise. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The transaction was undone for the sake of another one: it has not happened, and may be tried again. */
export function isUndoneForAnother(error: unknown): boolean {
  const state = sqlState(error);
  return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED;
}

/** The server is a standby by now. */
const isReadOnly = (error: unknown): boolean => sqlState(error) === READ_ONLY_SQL_TRANSACTION;

/** Whether the fault lies in the values of one act, so that others of its transaction may be tried without it. */
export function concernsOneAct(error: unknown): boolean {
  const state = sqlState(error);
  // 22: data exception; 23: integrity constraint violation; 54: program limit exceeded.
  return state !== undefined && /^(?:22|23|54)/u.test(state);
}

/** One line for the operator. The server's messages name tables and constraints, never our values: `detail` would. */
export function unavailable(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error;
  const state = sqlState(error);
  const code = state === undefined ? '' : ` (SQLSTATE ${state})`;
  return new StorageUnavailable(`the database cannot be used: ${reasonOf(error)}${code}`, {
    cause: error,
    mayComeBack: isAway(error),
  });
}

/** Of the addresses of one name, each refused, Node tells nothing but the code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  // Words of the package `pg`, which are about itself.
  if (/client password must be a/u.test(error.message))
    return 'the server asks for a password, and there is none';
  if (error.message !== '') return error.message.replaceAll(/\s+/gu, ' ');
  return 'code' in error ? String(error.code) : error.name;
}

/** The network's way of saying that nobody is there (yet); a name may be known a moment later, too. */
const NOBODY_THERE: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** A wrong password, an unknown database or a certificate that nobody vouches for does not mend itself. */
function isAway(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return AWAY.has(state) || state.startsWith('08') || isReadOnly(error);
  if (!(error instanceof Error)) return false;
  if ('code' in error) return NOBODY_THERE.has(error.code);
  // Words of the package `pg`: a server that ends the connection, or does not answer.
  return /terminated|timeout/iu.test(error.message);
}

/** Whether the connection is to be given up after this error. */
export function endsConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || isReadOnly(error) || AWAY.has(state) || state.startsWith('08');
}
