import { readFileSync } from 'node:fs';
import { openRegistrationToken, openSecret } from '../clients/secrets/client-secrets.ts';
import type { Settings } from '../config/settings.ts';
import { keyPlace } from '../keys/make-server-keys.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { SealBroken, type Sealer } from '../ports/sealer.ts';
import type { Storage } from '../ports/storage.ts';
import { type ClientId, DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import type { CopyProgress, CopyReport } from '../storage/copy-registry.ts';
import { sealerForTenant } from '../system/sealer.ts';
import { command, type Surroundings } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { withStorage } from './session.ts';
import { CONFIG_OPTION, JSON_OPTION, SETTINGS_VARIABLES, settingsFor } from './settings.ts';
import { table } from './table.ts';
import { type StatusLine, statusLine } from './terminal.ts';

const PAGE = 100;

const COPY_HEADS = ['TABLE', 'ROWS', 'PUT', 'REMOVED', 'SHA-256'];

const check = command({
  words: ['storage', 'check'],
  summary: 'Read the whole database and report damage',
  description: [
    'The command looks for damaged pages (SQLite), rows in the wrong order or without their owner, wrong counts, broken JSON, and secrets that `encryption.key` does not open. It works on both engines and may take long on a large database.',
    'SQLite has no checksums: a changed byte inside a text stays unnoticed. Keep backups.',
  ],
  servers: 'Servers may run on the same database meanwhile. The command changes nothing.',
  options: { ...CONFIG_OPTION, ...JSON_OPTION },
  environment: SETTINGS_VARIABLES,
  output:
    'One line for each problem, then the number of rows. With --json, one JSON object with `rows` and `findings`.',
  exits: { 1: 'There is at least one problem, or the command failed.' },
  examples: ['chancery storage check --config /etc/chancery/chancery.yaml'],
  run: async (call) => {
    const { settings } = await settingsFor('production', call);
    const { rows, findings } = await examined(settings);
    if (call.options.json) call.print(JSON.stringify({ rows, findings }));
    else {
      for (const finding of findings) call.print(finding);
      call.print(
        findings.length === 0
          ? `${rows} rows checked, no problems found`
          : `${rows} rows checked, ${findings.length} problems found`,
      );
    }
    return findings.length === 0 ? 0 : 1;
  },
});

interface Examination {
  readonly rows: number;
  readonly findings: readonly string[];
}

async function examined(settings: Settings): Promise<Examination> {
  const { requireKeyOpens, sealerOf, sqlitePath, tablesAt } = await import('../process/storage.ts');
  const { sealedCanary } = await import('../storage/backup-manifest.ts');
  const { checkTables } = await import('../storage/check-tables.ts');
  const { sqliteDamage } = await import('../storage/sqlite/database-file.ts');
  const path = sqlitePath(settings);
  const damage = path === undefined ? [] : sqliteDamage(path);
  const reader = await (await tablesAt(settings['storage.url'])).snapshot();
  try {
    const sealer = sealerOf(settings);
    const canary = await sealedCanary(reader);
    if (canary !== undefined) requireKeyOpens(canary, sealer, 'the database');
    const { rows, findings } = await checkTables(reader);
    // Sealed texts in unreliable rows prove nothing.
    const sound = damage.length + findings.length === 0;
    const sealed = sound ? await brokenSealsAt(settings, sealer) : [];
    return { rows, findings: [...damage, ...findings, ...sealed] };
  } finally {
    await reader.close();
  }
}

async function brokenSealsAt(settings: Settings, sealer: Sealer): Promise<readonly string[]> {
  const { openStorage } = await import('../process/storage.ts');
  const storage = await openStorage(settings, { check: false, mode: 'production' });
  try {
    return await brokenSeals(storage, sealer);
  } finally {
    await storage.close();
  }
}

async function brokenSeals(storage: Storage, sealer: Sealer): Promise<readonly string[]> {
  const broken: string[] = [];
  const tenants: readonly TenantId[] = [DEFAULT_TENANT, ...(await storage.tenants.all()).map(({ id }) => id)];
  for (const tenant of tenants) {
    const bound = sealerForTenant(sealer, tenant);
    const own = storage.forTenant(tenant);
    for (const { kid, sealed_jwk } of await own.serverKeys.all()) {
      const opens = sealed_jwk === null || isOpened(() => bound.open(sealed_jwk, keyPlace(kid)));
      if (!opens) broken.push(`server key ${kid} of ${tenant} does not open`);
    }
    let after: ClientId | undefined;
    while (true) {
      const page: readonly StoredClient[] = await own.clients.page(after, PAGE);
      for (const client of page) {
        if (!isOpened(() => openAll(bound, client)))
          broken.push(`client ${client.client_id} of ${tenant}: a secret does not open`);
      }
      after = page.at(-1)?.client_id;
      if (page.length < PAGE) break;
    }
  }
  return broken;
}

function openAll(sealer: Sealer, client: StoredClient): void {
  openRegistrationToken(sealer, client);
  for (const secret of client.secrets) openSecret(sealer, client, secret);
}

function isOpened(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
}

const ADDRESS_WORDS =
  'sqlite:PATH or postgres://…. `@FILE` reads the address from a file: other users of the machine can see the command line, and an address may hold a password.';

const copy = command({
  words: ['storage', 'copy'],
  summary: 'Copy a whole database to another one, of the same engine or another',
  description: [
    'The first call copies the rows that exist at its beginning. Each further call compares both sides and copies the differences; an interrupted call can be repeated. No server starts on the target before a call with --final has succeeded. The target must be empty, or an unfinished copy of the same source. The command creates its schema, and replaces and removes rows only in the target.',
    'Stop every server on the source, then call the command with --final. Afterwards start servers on the target, and never again on the source. The command needs no settings and no encryption key; do not change `encryption.key` between the calls.',
  ],
  servers:
    'Servers may run on the source during all calls without --final. Stop them before the call with --final.',
  options: {
    from: {
      kind: 'text',
      value: 'URL|@FILE',
      required: true,
      words: `Names the source database: ${ADDRESS_WORDS}`,
    },
    to: {
      kind: 'text',
      value: 'URL|@FILE',
      required: true,
      words: 'Names the target database, in the same way.',
    },
    final: {
      kind: 'flag',
      words: 'Finishes the copy, so that servers start on the target. Fails if the source changes meanwhile.',
    },
    ...JSON_OPTION,
  },
  environment: [],
  output:
    'A table with the rows and the digest of each database table. With --json, one JSON object. Standard error shows the progress.',
  examples: [
    'chancery storage copy --from sqlite:/var/lib/chancery/chancery.db --to @/etc/chancery/postgres-url',
    'chancery storage copy --from sqlite:/var/lib/chancery/chancery.db --to @/etc/chancery/postgres-url --final',
  ],
  run: async (call) => {
    const { final, json } = call.options;
    const from = addressOf('from', call.options.from);
    const to = addressOf('to', call.options.to);
    if (from === to) throw calledWrongly('--from and --to name the same database');
    const started = performance.now();
    const { report, status } = await copied(from, to, final);
    const seconds = (performance.now() - started) / 1000;
    status.settle(`${report.rows} rows compared in ${seconds.toFixed(1)} s`);
    if (json) call.print(JSON.stringify({ ...report, seconds: Number(seconds.toFixed(3)), finished: final }));
    else printReport(report, final, call);
  },
});

async function copied(
  from: string,
  to: string,
  final: boolean,
): Promise<{ readonly report: CopyReport; readonly status: StatusLine }> {
  const { openSchemaAt, tablesAt } = await import('../process/storage.ts');
  const { copyRegistry } = await import('../storage/copy-registry.ts');
  const source = await openSchemaAt(from);
  try {
    if ((await source.state()).version === 0) throw new CommandFailure('there is no registry at --from');
  } finally {
    await source.close();
  }
  const target = await openSchemaAt(to);
  try {
    await target.up(Math.floor(Date.now() / 1000));
  } finally {
    await target.close();
  }
  const status = statusLine();
  const report = await copyRegistry(await tablesAt(from), await tablesAt(to), {
    final,
    now: Math.floor(Date.now() / 1000),
    progress: progressOn(status),
  });
  return { report, status };
}

function addressOf(option: 'from' | 'to', given: string): string {
  const address = given.startsWith('@') ? readFileSync(given.slice(1), 'utf8').trim() : given;
  if (/^(?:sqlite:.|postgres(?:ql)?:\/\/)/u.test(address)) return address;
  throw calledWrongly(`--${option} must be sqlite:PATH or postgres://…, or @FILE with such an address in it`);
}

function progressOn(status: StatusLine): (progress: CopyProgress) => void {
  const verbs = { copy: 'copying', verify: 'reading back', check: 'reading the source again' };
  let begun = { what: '', at: 0 };
  return ({ phase, table: name, rows, total }) => {
    const what = `${verbs[phase]} ${name}`;
    if (what !== begun.what) begun = { what, at: performance.now() };
    const seconds = (performance.now() - begun.at) / 1000;
    const rate = seconds < 0.1 ? '' : `, ${Math.round(rows / seconds)} rows/s`;
    status.show(`${what}: ${rows} of ${total} rows${rate}`);
  };
}

function printReport(report: CopyReport, final: boolean, { print }: Surroundings): void {
  const columns = table(print, COPY_HEADS);
  const rows = report.tables.filter(({ rows: count, removed }) => count > 0 || removed > 0);
  columns.print(
    rows.map(({ table: name, rows: count, put, removed, digest }) => [
      name,
      String(count),
      String(put),
      String(removed),
      digest.slice(0, 16),
    ]),
  );
  print(
    final
      ? 'finished: the target holds what the source holds, and servers may start on it; start none on the source again'
      : 'not finished: the target lacks what servers have written to the source since the beginning. Stop every server on the source, then run this again with --final',
  );
}

const confirmIssuer = command({
  words: ['storage', 'confirm-issuer'],
  summary: 'Accept the issuer in the settings as the issuer of the database',
  description: [
    'The database keeps the issuer of its first start, and a server with another `issuer` does not start. This command replaces the kept issuer. Use it if the issuer changes on purpose; otherwise correct `issuer` or `storage.url`.',
    'Clients stay, with their secrets and registration access tokens, and so do opaque access tokens and refresh tokens. Self-contained access tokens, authorisation codes and ID token hints of the former issuer are refused. Clients must learn the new issuer: it is in each new token, in the audience of their assertions, and in `registration_client_uri`. To serve both names for a while, add the former one to `issuer-aliases`.',
  ],
  servers: 'Stop the servers with the former issuer first: they cannot start again after the command.',
  options: { ...CONFIG_OPTION, ...JSON_OPTION },
  environment: SETTINGS_VARIABLES,
  output:
    'One line with the former and the new issuer. With --json, one JSON object with `issuer` and `former`.',
  examples: ['chancery storage confirm-issuer --config /etc/chancery/chancery.yaml'],
  run: async (call) => {
    const options = { ...call.options, mode: 'production' } as const;
    await withStorage({ ...call, options }, { create: false }, async ({ settings: { issuer }, storage }) => {
      const former = await storage.keepIssuer(issuer);
      await storage.replaceIssuer(issuer);
      if (call.options.json) call.print(JSON.stringify({ issuer, former }));
      else if (former === issuer) call.print(`the database is for the issuer ${issuer}: nothing has changed`);
      else call.print(`the database was for the issuer ${former}, and is now for ${issuer}`);
    });
  },
});

export const STORAGE_COMMANDS = [check, copy, confirmIssuer];
