import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ParsedCall } from '../command.ts';
import { CommandFailure } from '../failure.ts';
import { placeNew, writePrivateFile } from '../private-file.ts';
import { printFields } from '../table.ts';
import { openServer, type Server } from './server.ts';

/** A backup as the administration API shows it. */
interface RemoteBackup {
  readonly id: string;
  readonly state: 'creating' | 'complete' | 'failed';
  readonly failure: string | null;
  readonly taken_at: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly rows: number | null;
  readonly encryption_key: string | null;
  readonly verification: { readonly state: string; readonly tables: readonly string[] } | null;
}

type Call = Pick<ParsedCall, 'options' | 'environment' | 'print' | 'complain'>;

/** Lets a server make a backup, waits until it is complete, and downloads it where `--out` names a file. */
export async function createOnServer(url: string, call: Call): Promise<number> {
  const server = openServer(url, call);
  const { json } = await server.send('admin-backup-create');
  const backup = await settled(server, json as RemoteBackup);
  if (backup.state === 'failed')
    throw new CommandFailure(`the backup ${backup.id} failed: ${backup.failure}`);
  const { out } = call.options;
  if (typeof out === 'string') await saved(server, backup, out);
  print(call, backup, out);
  return 0;
}

/** Lets a server verify a backup, and waits for the result. */
export async function verifyOnServer(url: string, id: string, call: Call): Promise<number> {
  const server = openServer(url, call);
  const { json } = await server.send('admin-backup-verify', { segments: { id } });
  const backup = await settled(server, json as RemoteBackup);
  const { state = 'interrupted', tables = [] } = backup.verification ?? {};
  if (state !== 'passed')
    throw new CommandFailure(`the backup ${id} is not as it was made: ${[state, ...tables].join(' ')}`);
  print(call, backup, undefined);
  return 0;
}

/** Downloads a backup to the file that `--out` names. */
export async function downloadFromServer(url: string, id: string, call: Call): Promise<number> {
  const server = openServer(url, call);
  const { json } = await server.send('admin-backup-read', { segments: { id } });
  const backup = json as RemoteBackup;
  const out = String(call.options['out']);
  await saved(server, backup, out);
  print(call, backup, out);
  return 0;
}

const WAIT_MS = 250;

/** Resolves when the server no longer works on the backup. */
async function settled(server: Server, begun: RemoteBackup): Promise<RemoteBackup> {
  let backup = begun;
  while (backup.state === 'creating' || backup.verification?.state === 'running') {
    await sleep(WAIT_MS);
    const { json } = await server.send('admin-backup-read', { segments: { id: begun.id } });
    backup = json as RemoteBackup;
  }
  return backup;
}

async function saved(server: Server, { id, sha256 }: RemoteBackup, out: string): Promise<void> {
  const response = await server.open('admin-backup-download', { segments: { id } });
  const write = async (descriptor: number): Promise<void> => {
    const hash = createHash('sha256');
    try {
      for await (const chunk of response.body ?? []) {
        hash.update(chunk);
        writeWhole(descriptor, chunk);
      }
    } catch (failure) {
      const { message } = failure as Error;
      throw new CommandFailure(`the download broke off (${message}): no file was written`);
    }
    if (hash.digest('hex') !== sha256)
      throw new CommandFailure('the file that came has another digest than the server says: it was not kept');
  };
  await writePrivateFile(out, write, placeNew);
}

function writeWhole(descriptor: number, chunk: Uint8Array): void {
  for (let written = 0; written < chunk.length; ) written += writeSync(descriptor, chunk, written);
}

function print({ options, print: line }: Call, backup: RemoteBackup, out: unknown): void {
  const file = typeof out === 'string' ? { out } : {};
  if (options['json'] === true) return line(JSON.stringify({ ...file, ...backup }));
  return printFields(line, [
    ['id', backup.id],
    ...Object.entries(file),
    ['taken at', backup.taken_at ?? '-'],
    ['bytes', String(backup.bytes)],
    ['rows', String(backup.rows)],
    ['encryption key', backup.encryption_key ?? 'none yet'],
    ['verification', backup.verification?.state ?? '-'],
  ]);
}
