import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { AuditLog } from '../ports/audit-log.ts';
import type { DeletedTenant, StoredTenant, TableRows } from '../ports/tenant-store.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { systemClock } from '../system/clock.ts';
import { removeTenantRows } from '../tenant/tenant-deletion.ts';
import { command } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import type { StorageSession } from './registry-session.ts';
import { ACTOR, commandEvent, withStorage } from './session.ts';
import { SETTINGS_VARIABLES, type StorageCall, TENANTS_OPTIONS } from './settings.ts';
import { table, timeText } from './table.ts';
import { statusLine } from './terminal.ts';

/** Rows that --dry-run counts in each table: the time stays bounded. */
const COUNTED_MAX = 10_000;

export const deleteTenant = command({
  words: ['tenants', 'delete'],
  summary: 'Delete a tenant with all its data, for good',
  description: [
    'Clients, tokens, accounts, sessions, keys, settings and the audit of the tenant are deleted. This cannot be undone. Its id is never used again; its issuer and aliases are free for other tenants as soon as everything is deleted.',
    'The tenant must be disabled; --force disables it. The command asks you to type its id. Where there is no terminal, give the id with --confirm.',
    'The audit of the tenant goes with it. With --audit-file, the command writes it to a file first. The audit of the default tenant keeps who deleted the tenant and when, and the SHA-256 of that file.',
    'The rows go in batches (`storage.sweep-batch`), so that servers answer meanwhile. If the command is interrupted, a server goes on with it, or you run the command again.',
    'Self-contained access tokens and ID tokens of the tenant stay valid until they expire, wherever its keys are cached.',
  ],
  servers:
    'Servers may run on the same database. They close the tenant with their next request. A request that is under way may still write a row; servers find and remove such rows in rounds (`storage.sweep-interval`).',
  operands: { id: { words: 'Names the tenant by its id.' } },
  options: {
    confirm: {
      kind: 'text',
      value: 'ID',
      words: 'Repeats the id, in place of the question on the terminal.',
    },
    force: { kind: 'flag', words: 'Disables the tenant first if it is in service.' },
    'audit-file': {
      kind: 'text',
      value: 'FILE',
      words:
        'Writes the audit of the tenant to this new file, one JSON object per line, before anything is deleted.',
    },
    'dry-run': { kind: 'flag', words: 'Shows how many rows would go, and deletes nothing.' },
    ...TENANTS_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: `The number of deleted rows by table. With --dry-run, the rows that are there: up to ${COUNTED_MAX} are counted in each table. With --json, one JSON object.`,
  exits: { 1: 'There is no such tenant, it is in service, or the confirmation is not its id.' },
  examples: [
    'chancery tenants delete acme --dry-run',
    'chancery tenants delete acme --force --confirm acme --audit-file acme-audit.jsonl',
  ],
  run: async (call) => {
    const { id } = call.operands;
    if (id === DEFAULT_TENANT)
      throw new CommandFailure('the default tenant is the one of the configuration, and cannot be deleted');
    await withStorage(call, { create: false }, async (session) => {
      const deleted = (await session.storage.tenants.deleted()).find((each) => each.id === id);
      if (call.options['dry-run']) return await showContents(call, session, deleted);
      if (deleted === undefined) await begin(call, session);
      else requireNoAuditFile(call.options['audit-file'], deleted);
      await finish(call, session, id as TenantId, deleted);
    });
  },
});

type DeleteCall = StorageCall & {
  readonly operands: { readonly id: string };
  readonly options: {
    readonly confirm: string | undefined;
    readonly force: boolean;
    readonly 'audit-file': string | undefined;
    readonly json: boolean;
  };
};

function requireNoAuditFile(file: string | undefined, { id, deleted_at }: DeletedTenant): void {
  if (file === undefined) return;
  throw new CommandFailure(
    `the deletion of ${id} began at ${timeText(deleted_at, '-')}: its audit goes as that call decided; run the command without --audit-file`,
  );
}

async function storedTenantOf({ storage }: StorageSession, id: string): Promise<StoredTenant> {
  const { storedTenant } = await import('./registry-session.ts');
  return await storedTenant(storage, id);
}

async function showContents(
  call: DeleteCall,
  session: StorageSession,
  deleted: DeletedTenant | undefined,
): Promise<void> {
  const { id } = call.operands;
  if (deleted === undefined) await storedTenantOf(session, id);
  const contents = await session.storage.tenants.contents(id as TenantId, COUNTED_MAX);
  if (call.options.json) {
    call.print(JSON.stringify({ id, dry_run: true, counted_max: COUNTED_MAX, rows: byTable(contents) }));
    return;
  }
  printRows(call, contents, (rows) => (rows === COUNTED_MAX ? `${rows} or more` : String(rows)));
  call.print(deleted === undefined ? `nothing was deleted: ${id} has these rows` : stateOf(deleted));
}

const stateOf = ({ id, deleted_at, cleared_at }: DeletedTenant): string =>
  cleared_at === null
    ? `the deletion of ${id} began at ${timeText(deleted_at, '-')} and has not ended`
    : `${id} was deleted at ${timeText(cleared_at, '-')}`;

const byTable = (contents: readonly TableRows[]): Readonly<Record<string, number>> =>
  Object.fromEntries(contents.map(({ table: name, rows }) => [name, rows]));

function printRows(
  { print }: Pick<DeleteCall, 'print'>,
  contents: readonly TableRows[],
  text: (rows: number) => string = String,
): void {
  table(print, ['TABLE', 'ROWS']).print(contents.map(({ table: name, rows }) => [name, text(rows)]));
}

/** Closes the tenant for good, after every question has been answered and the audit is written. */
async function begin(call: DeleteCall, session: StorageSession): Promise<void> {
  const { id } = call.operands;
  const { force, 'audit-file': file } = call.options;
  const { tenants } = session.storage;
  const stored = await storedTenantOf(session, id);
  if (stored.disabled_at === null && !force)
    throw new CommandFailure(
      `the tenant ${id} is in service: disable it with chancery tenants disable ${id}, or add --force`,
    );
  if (file !== undefined && existsSync(file))
    throw new CommandFailure(`${file} is there already: name a new file`);
  await requireConfirmation(call, stored);
  const at = systemClock.now();
  const disabled = { ...stored, disabled_at: stored.disabled_at ?? at };
  if (stored.disabled_at === null) {
    const outcome = await tenants.replace(
      stored.id,
      stored.version,
      disabled,
      commandEvent(at, 'tenant.disable'),
    );
    requireUnchanged(outcome === 'replaced', id);
  }
  const version = stored.version + (stored.disabled_at === null ? 1 : 0);
  const kept =
    file === undefined ? 'dropped' : await writeAudit(session.storage.forTenant(stored.id).audit, file);
  const event = commandEvent(at, 'tenant.delete', `${id} ${stored.issuer} audit ${kept}`);
  requireUnchanged((await tenants.beginDeletion(stored.id, version, at, event)) === 'begun', id);
}

function requireUnchanged(isUnchanged: boolean, id: string): void {
  if (!isUnchanged) throw new CommandFailure(`another process changed the tenant ${id}: try again`);
}

async function requireConfirmation(call: DeleteCall, { id, issuer }: StoredTenant): Promise<void> {
  const given =
    call.options.confirm ?? (await typed(`Type the id to delete the tenant ${id} (${issuer}) for good: `));
  if (given !== id)
    throw new CommandFailure(`${JSON.stringify(given)} is not the id ${id}: nothing was deleted`);
}

async function typed(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw calledWrongly(
      'standard input is not a terminal, so the id cannot be typed: repeat it with --confirm',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

const AUDIT_PAGE = 1000;

/** Writes every event to the file. Returns how many there are, and the SHA-256 of the file. */
async function writeAudit(audit: AuditLog, file: string): Promise<string> {
  const { writePrivateFile } = await import('./private-file.ts');
  const hash = createHash('sha256');
  let events = 0;
  await writePrivateFile(file, async (descriptor) => {
    let sequence = 0;
    while (true) {
      const page = await audit.page(sequence, AUDIT_PAGE);
      const text = page.map((event) => `${JSON.stringify(event)}\n`).join('');
      writeFileSync(descriptor, text);
      hash.update(text);
      events += page.length;
      sequence = page.at(-1)?.sequence ?? sequence;
      if (page.length < AUDIT_PAGE) return;
    }
  });
  return `exported events=${events} sha256=${hash.digest('hex')}`;
}

/** Removes the rows, and tells what was removed. */
async function finish(
  call: DeleteCall,
  { storage: { tenants }, settings }: StorageSession,
  id: TenantId,
  before: DeletedTenant | undefined,
): Promise<void> {
  const { json } = call.options;
  const status = statusLine();
  const removed = new Map<string, number>();
  let all = 0;
  const { request_id } = commandEvent(systemClock.now(), 'tenant.clear');
  await removeTenantRows({ tenants, clock: systemClock, batch: settings['storage.sweep-batch'] }, id, {
    actor: ACTOR,
    request_id,
    goOn({ table: name, rows }) {
      removed.set(name, (removed.get(name) ?? 0) + rows);
      all += rows;
      status.show(`${all} rows deleted (${name})`);
      return true;
    },
  });
  status.clear();
  const contents = [...removed].map(([name, rows]) => ({ table: name, rows }));
  if (json) {
    call.print(JSON.stringify({ id, deleted: true, rows: byTable(contents) }));
    return;
  }
  if (contents.length > 0) printRows(call, contents);
  if (before === undefined || before.cleared_at === null) call.print(`deleted the tenant ${id}: ${all} rows`);
  else
    call.print(
      all === 0
        ? `${stateOf(before)}, and nothing is left`
        : `${stateOf(before)}; ${all} late rows were deleted now`,
    );
}
