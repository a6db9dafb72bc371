import { logEvent } from '../../../clients/person-event.ts';
import { leaving } from '../../../events/streams.ts';
import type { AuditEvent } from '../../../ports/audit-log.ts';
import type { OpenBackup } from '../../../ports/backup-store.ts';
import type { Streams } from '../../../ports/streams.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { type AdminCall, type AdminNeeds, streaming } from '../operation.ts';
import { entered, requirePermitted } from '../streams.ts';
import { etagOf } from '../version.ts';
import { type AdminBackupNeeds, conflict, storedBackup, storeOf } from './backup-item.ts';
import { backupDownload, SQLITE_TYPE } from './contract.ts';

interface DownloadNeeds extends AdminNeeds, AdminBackupNeeds {
  readonly streams: Streams;
}

/** The event is stored before the first octet leaves: no download is without one. */
export const backupDownloading = streaming<DownloadNeeds>(backupDownload, async (needs, call) => {
  const store = storeOf(needs);
  const { id, state, sha256 } = await storedBackup(store, call);
  if (state !== 'complete' || sha256 === null) throw conflict(`the state of the backup is ${state}`);
  const leave = entered(needs, call);
  const file = await store.open(id);
  const close = (): void => {
    leave();
    void file?.close();
  };
  try {
    if (file === undefined) throw notFound('backup');
    const etag = etagOf(sha256);
    const range = rangeOf(call.headers, file.bytes, etag);
    await recordDownload(needs, call, id);
    const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
    return {
      status: range === undefined ? 200 : 206,
      headers: {
        'content-type': SQLITE_TYPE,
        'content-length': String(last - first + 1),
        'content-disposition': `attachment; filename="chancery-${id}.db"`,
        'accept-ranges': 'bytes',
        etag,
        'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
        ...(range === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${file.bytes}` }),
        'x-accel-buffering': 'no',
      },
      body: leaving(whilePermitted(file, { first, last }, requirePermitted(needs, call)), close),
    };
  } catch (failure) {
    close();
    throw failure;
  }
});

async function recordDownload(needs: DownloadNeeds, { by }: AdminCall, id: string): Promise<void> {
  const event: AuditEvent = {
    at: needs.clock.now(),
    action: 'backup.download',
    outcome: 'done',
    client_id: null,
    detail: id,
    ...by,
  };
  await needs.storage.audit.append(event);
  logEvent(needs, event);
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** A reader who is slow must not outlive its token. */
async function* whilePermitted(
  file: OpenBackup,
  { first, last }: Range,
  check: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of file.read(first, last)) {
    await check();
    yield chunk;
  }
}

const ONE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/u;

/**
 * Returns the range that a request asks for; undefined for the whole file: without `Range`, for several ranges, for another
 * unit, and if `If-Range` has another version (RFC 9110 §14.2, §13.1.5).
 * @throws Problem range_not_satisfiable
 */
function rangeOf(
  { range, 'if-range': version }: Readonly<Record<string, string | undefined>>,
  bytes: number,
  etag: string,
): Range | undefined {
  const [all, from, to = '', suffix] = ONE_RANGE.exec(range ?? '') ?? [];
  if (all === undefined || (version !== undefined && version !== etag)) return undefined;
  const first = from === undefined ? Math.max(0, bytes - Number(suffix)) : Number(from);
  const last = to === '' ? bytes - 1 : Math.min(bytes - 1, Number(to));
  // §14.1.2: an int-range whose last position is less than its first is invalid, and invalid ranges are ignored.
  if (to !== '' && Number(to) < first) return undefined;
  if (first <= last) return { first, last };
  throw new Problem('range_not_satisfiable', `the file has ${bytes} octets`, {
    headers: { 'content-range': `bytes */${bytes}` },
  });
}
