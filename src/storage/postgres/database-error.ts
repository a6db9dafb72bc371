import { StorageUnavailable } from '../../ports/storage.ts';

/** PostgreSQL documentation, "Appendix A. PostgreSQL Error Codes". */
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const READ_ONLY_SQL_TRANSACTION = '25006';
/** The server shuts down, crashed or recovers; a statement was cancelled; a lock was not available. */
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

/** Returns the SQLSTATE of an error; undefined if the server did not raise it. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the server rolled the transaction back in favour of another one, so that it may be retried. */
export function isSerializationFailure(error: unknown): boolean {
  const state = sqlState(error);
  return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED;
}

/** Whether the server has become a standby. */
const isReadOnly = (error: unknown): boolean => sqlState(error) === READ_ONLY_SQL_TRANSACTION;

/** Whether the fault lies in the values of one write, so that the other writes of its batch may be retried without it. */
export function concernsOneWrite(error: unknown): boolean {
  const state = sqlState(error);
  // 22: data exception; 23: integrity constraint violation; 54: program limit exceeded.
  return state !== undefined && /^(?:22|23|54)/u.test(state);
}

/** Returns one line for the operator. The server's `message` names tables and constraints; its `detail`, which is left out, quotes values. */
export function unavailable(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error;
  const state = sqlState(error);
  const code = state === undefined ? '' : ` (SQLSTATE ${state})`;
  return new StorageUnavailable(`the database cannot be used: ${reasonOf(error)}${code}`, {
    cause: error,
    mayComeBack: isAway(error),
  });
}

/** Returns the message, or the code: Node gives no message if every address of a name refuses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  // The wording of the package `pg`.
  if (/client password must be a/u.test(error.message))
    return 'the server asks for a password, and there is none';
  if (error.message !== '') return error.message.replaceAll(/\s+/gu, ' ');
  return 'code' in error ? String(error.code) : error.name;
}

/** Network errors that may pass: the server does not listen yet, or its name does not resolve yet. */
const UNREACHABLE: ReadonlySet<unknown> = new Set([
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

/** Whether the failure may pass. A wrong password, an unknown database or an untrusted certificate does not. */
function isAway(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return AWAY.has(state) || state.startsWith('08') || isReadOnly(error);
  if (!(error instanceof Error)) return false;
  if ('code' in error) return UNREACHABLE.has(error.code);
  // The wording of the package `pg` for a server that ends the connection or does not answer.
  return /terminated|timeout/iu.test(error.message);
}

/** A damaged page or index, a disk that does not read, a file or table that is gone. */
const FAILED_READ: ReadonlySet<string> = new Set(['XX001', 'XX002', '58030', '58P01', '42P01']);

/** Whether the disk or the data of the server caused the error, so that other reads and writes may succeed. */
export function isFailedRead(error: unknown): boolean {
  const state = sqlState(error instanceof StorageUnavailable ? error.cause : error);
  return state !== undefined && FAILED_READ.has(state);
}

/** Whether the connection must be dropped after this error. */
export function endsConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || isReadOnly(error) || AWAY.has(state) || state.startsWith('08');
}
