import { writeFileSync } from 'node:fs';
import { doneEvent, record } from '../clients/audit-trail.ts';
import { exportClients } from '../clients/export-import/export-clients.ts';
import {
  type ImportOptions,
  type ImportOutcome,
  importClient,
} from '../clients/export-import/import-clients.ts';
import { readExportHeader } from '../clients/export-import/imported-client.ts';
import { FOREIGN_SERVERS } from '../clients/foreign-import/foreign-formats.ts';
import { OAuthError } from '../spec/errors.ts';
import { MetadataRefused, sentenceOf } from '../spec/metadata-mistake.ts';
import { type Command, command, type Surroundings } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { readLines } from './input.ts';
import { writePrivateFile } from './private-file.ts';
import type { RegistrySession } from './registry-session.ts';
import { auditedAct, BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { statusLine } from './terminal.ts';

/** A line holds a client, which is as large as a request, and secrets, privileges and escapes around it. */
const LINE_BYTES_PER_BODY = 4;

/** Imports that share a commit. */
const BATCH = 50;

const exportAll = command({
  words: ['clients', 'export'],
  summary: 'Write all clients with their secrets, one JSON object per line',
  description: [
    'The export holds identifiers, secrets, registration access tokens, privileges, origins and times in clear. Guard it like the encryption key: a reader can act as any of the clients. Access tokens and federated clients are not in it.',
    'The audit records the export.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: {
    out: {
      kind: 'text',
      value: 'FILE',
      words:
        'Writes to this file, which only its owner may read, instead of standard output. An existing file is replaced when the export is complete.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'A header line, then one JSON object per line. With --out, one line with the number of clients, or with --json one JSON object.',
  exits: {
    1: 'A client could not be decrypted and was left out, as the last line of the export says. Or the command failed.',
  },
  examples: ['chancery clients export --out clients.jsonl'],
  run: async (call) => {
    const { out, json } = call.options;
    return await withRegistry(call, { create: false }, async (session) => {
      const { needs } = session;
      return await auditedAct(session, 'client.list', async (trail) => {
        record(needs, doneEvent(needs, trail, 'exported with secrets'));
        const lines = exportClients(needs);
        const { written, unreadable } =
          out === undefined
            ? await writeAll(lines, call.printData ?? call.print)
            : await writeFile(lines, out);
        if (out !== undefined)
          call.print(
            json ? JSON.stringify({ clients: written, out }) : `${written} clients exported to ${out}`,
          );
        if (unreadable === 0) return 0;
        call.complain(
          `${unreadable} clients could not be decrypted and are not in the export, whose last line says so`,
        );
        return 1;
      });
    });
  },
});

interface Written {
  readonly written: number;
  readonly unreadable: number;
}

async function writeAll(
  lines: AsyncIterable<string | undefined>,
  write: (line: string) => void,
): Promise<Written> {
  // The first line is the header.
  let written = -1;
  let unreadable = 0;
  for await (const line of lines) {
    if (line === undefined) {
      unreadable += 1;
      continue;
    }
    write(line);
    written += 1;
  }
  // It is no JSON, so no import takes the export for complete.
  if (unreadable > 0) write(`INCOMPLETE: ${unreadable} clients could not be decrypted`);
  return { written, unreadable };
}

async function writeFile(lines: AsyncIterable<string | undefined>, path: string): Promise<Written> {
  const status = statusLine();
  let clients = 0;
  const written = await writePrivateFile(
    path,
    async (descriptor) =>
      await writeAll(lines, (line) => {
        writeFileSync(descriptor, `${line}\n`);
        status.show(`exporting: ${clients} clients`);
        clients += 1;
      }),
  );
  status.clear();
  return written;
}

type Tally = Record<ImportOutcome | 'refused', number>;

const importAll = command({
  words: ['clients', 'import'],
  summary: 'Register the clients of an export, of this server or another one',
  description: [
    'Each line is checked like a registration. A line that is refused is reported with its number and all its mistakes, and the other lines go on. Members and values that this server does not have are dropped and reported. A client that exists already with the same content is skipped, so that an interrupted import can be run again.',
    'An existing client with different content is refused unless --replace is given, and so is a client that was deleted here. All secrets are encrypted with the key of this database. Clients from another issuer must learn the new addresses; the command warns of this.',
    'With --from, the file is a realm export of Keycloak, a list of clients of Hydra (the answer of its API or the output of its command, of version 1 or 2), or the answer of GET /clients of Connect2id. The report says for each client which members were carried over, what changed, and what this server does not have. Run it with --dry-run first. A secret is carried over if the export has it; otherwise the client gets a new one, which `chancery clients show --secrets` prints.',
    'An absent SQLite database is created.',
  ],
  servers: BESIDE_SERVERS,
  operands: {
    file: {
      words: 'Names the file that `clients export` or another server wrote; `-` reads standard input.',
    },
  },
  options: {
    from: {
      kind: 'choice',
      values: FOREIGN_SERVERS,
      words: 'Names the other server that wrote the file.',
    },
    owner: {
      kind: 'text',
      value: 'OWNER',
      words:
        'Gives the clients of another server an owner, so that files of `chancery apply` can declare them.',
    },
    replace: {
      kind: 'flag',
      words: 'Replaces clients that exist with different content; `clients versions` keeps what they were.',
    },
    'dry-run': {
      kind: 'flag',
      short: 'n',
      words: 'Checks all lines and counts the outcomes, and changes nothing.',
    },
    'redirect-uris': {
      kind: 'text',
      value: 'FILE',
      words:
        'Names a YAML or JSON file with a map from client_id to a list of addresses. They take the place of the redirection URIs of the other server, which may be patterns.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'One line with the number of imported, replaced, unchanged and refused clients. With --json, one JSON object. With --from, a report on each client before it.',
  exits: { 1: 'At least one line was refused, or the command failed.' },
  examples: [
    'chancery clients import clients.jsonl --dry-run',
    'chancery clients import clients.jsonl',
    'chancery clients import --from keycloak realm-export.json --dry-run',
  ],
  run: async (call) => {
    const { json, replace, from, owner, 'redirect-uris': redirectUris, 'dry-run': dryRun } = call.options;
    if (from !== undefined && replace) throw calledWrongly('--replace is for exports of this server');
    if (from === undefined && (owner ?? redirectUris) !== undefined)
      throw calledWrongly('--owner and --redirect-uris need --from');
    return await withRegistry(call, { create: true }, async (session) => {
      if (from !== undefined) {
        const { importForeign } = await import('./client-foreign-import.ts');
        return await importForeign(
          session,
          { server: from, file: call.operands.file, owner, redirectUris, dryRun, json },
          call,
        );
      }
      const tally = await importLines(session, call.operands.file, { replace, dryRun }, call);
      const counts = Object.entries(tally).map(([outcome, clients]) => `${clients} ${outcome}`);
      call.print(
        json
          ? JSON.stringify({ ...tally, dry_run: dryRun })
          : `${dryRun ? 'dry run: ' : ''}${counts.join(', ')}`,
      );
      return tally.refused === 0 ? 0 : 1;
    });
  },
});

async function importLines(
  session: RegistrySession,
  file: string,
  options: ImportOptions,
  surroundings: Surroundings,
): Promise<Tally> {
  const tally: Tally = { imported: 0, replaced: 0, unchanged: 0, refused: 0 };
  const bytesMax = session.settings['limits.body'] * LINE_BYTES_PER_BODY;
  let number = 0;
  let batch: Promise<void>[] = [];
  const status = statusLine();
  for await (const line of readLines(file, bytesMax)) {
    number += 1;
    if (number === 1) {
      readHeader(session, file, line, surroundings);
      continue;
    }
    if (line.length === 0) continue;
    batch.push(importLine(session, { number, line }, options, { tally, surroundings }));
    if (batch.length < BATCH) continue;
    await Promise.all(batch);
    batch = [];
    status.show(`importing: ${number - 1} clients`);
  }
  await Promise.all(batch);
  status.clear();
  if (number === 0) throw new CommandFailure(`${file} is empty`);
  return tally;
}

/** Refuses a file that is not an export, and warns of the export of another issuer. */
function readHeader(
  { needs }: RegistrySession,
  file: string,
  line: Uint8Array,
  { complain }: Surroundings,
): void {
  const { issuer } = headerOf(needs, file, line);
  if (issuer === needs.issuer) return;
  complain(
    `the clients are those of ${JSON.stringify(issuer)}, and this is ${needs.issuer}: they must learn of the new issuer`,
  );
}

function headerOf(
  needs: RegistrySession['needs'],
  file: string,
  line: Uint8Array,
): ReturnType<typeof readExportHeader> {
  try {
    return readExportHeader(needs, line);
  } catch (failure) {
    throw failure instanceof OAuthError ? new CommandFailure(`${file}: ${failure.message}`) : failure;
  }
}

async function importLine(
  session: RegistrySession,
  { number, line }: { readonly number: number; readonly line: Uint8Array },
  options: ImportOptions,
  { tally, surroundings }: { readonly tally: Tally; readonly surroundings: Surroundings },
): Promise<void> {
  const onDropped = (sentence: string): void => {
    surroundings.complain(`line ${number}: dropped: ${sentence}`);
  };
  try {
    const outcome = await auditedAct(
      session,
      'client.import',
      async (trail) => await importClient(session.needs, line, { ...options, onDropped }, trail),
    );
    tally[outcome] += 1;
  } catch (failure) {
    if (!(failure instanceof OAuthError)) throw failure;
    tally.refused += 1;
    for (const words of reasonsOf(failure)) surroundings.complain(`line ${number}: ${words}`);
  }
}

/** Returns every mistake of a line. */
const reasonsOf = (failure: OAuthError): readonly string[] =>
  failure instanceof MetadataRefused
    ? failure.mistakes.map((mistake) => `${mistake.error ?? failure.code}: ${sentenceOf(mistake)}`)
    : [failure.message];

export const EXCHANGE_COMMANDS: readonly Command[] = [exportAll, importAll];
