import {
  type ForeignClient,
  isObject,
  textsOf,
  withRedirectUris,
} from '../clients/foreign-import/foreign-client.ts';
import { type ForeignServer, foreignRegistry } from '../clients/foreign-import/foreign-formats.ts';
import { type ForeignOutcome, importForeignClient } from '../clients/foreign-import/import-foreign-client.ts';
import type { Registrant } from '../clients/registration/registration-authority.ts';
import { plainDocuments } from '../config/plain-yaml.ts';
import type { JsonValue } from '../spec/json.ts';
import { OWNER_NAME } from '../spec/owner-name.ts';
import { ALL_PRIVILEGES } from '../spec/registration-privileges.ts';
import type { Surroundings } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { FILE_BYTES_MAX, readFiles } from './plan-file.ts';
import type { RegistrySession } from './registry-session.ts';
import { ACTOR, auditedAct } from './session.ts';

const REGISTRANT: Registrant = { kind: 'master', name: ACTOR, privileges: ALL_PRIVILEGES };

export interface ForeignImport {
  readonly server: ForeignServer;
  readonly file: string;
  readonly owner: string | undefined;
  /** A file with redirection URIs by client_id, in place of those of the export. */
  readonly redirectUris: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** The report about one client. */
type Told =
  | ForeignOutcome
  | { readonly client_id: string; readonly outcome: 'skipped'; readonly skipped: string };

/** Imports the export of another server and reports on each client. Returns the exit code. */
export async function importForeign(
  session: RegistrySession,
  { server, file, owner, redirectUris, dryRun, json }: ForeignImport,
  surroundings: Surroundings,
): Promise<number> {
  if (owner !== undefined && !OWNER_NAME.test(owner))
    throw calledWrongly(
      '--owner must have 1 to 64 lower-case letters, digits, dots, hyphens and underscores',
    );
  const registry = foreignRegistry(server, await contentOf(file));
  if (registry === undefined) throw new CommandFailure(`${file} is no export of ${server}`);
  const addresses =
    redirectUris === undefined ? new Map<string, readonly string[]>() : await addressesOf(redirectUris);
  const tally = { imported: 0, unchanged: 0, refused: 0, skipped: 0 };
  const options = { registrant: REGISTRANT, owner: owner ?? null, dryRun };
  for (const foreign of registry.clients) {
    const told: Told =
      'skipped' in foreign
        ? { ...foreign, outcome: 'skipped' }
        : await auditedAct(
            session,
            'client.import',
            async (trail) =>
              await importForeignClient(session.needs, listed(foreign, addresses), options, trail),
          );
    tally[told.outcome] += 1;
    if (json) surroundings.print(JSON.stringify(told));
    else printTold(told, surroundings);
  }
  if (json) surroundings.print(JSON.stringify({ ...tally, dry_run: dryRun, lost: registry.lost }));
  else {
    for (const sentence of registry.lost) surroundings.print(sentence);
    const counts = Object.entries(tally).map(([outcome, clients]) => `${clients} ${outcome}`);
    surroundings.print(`${dryRun ? 'dry run: ' : ''}${counts.join(', ')}`);
  }
  return tally.refused === 0 ? 0 : 1;
}

function listed(foreign: ForeignClient, addresses: ReadonlyMap<string, readonly string[]>): ForeignClient {
  const found = addresses.get(foreign.client_id);
  return found === undefined ? foreign : withRedirectUris(foreign, found);
}

async function addressesOf(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const content = await contentOf(file);
  if (!isObject(content))
    throw new CommandFailure(`${file} must be a map from client_id to a list of addresses`);
  return new Map(Object.entries(content).map(([client_id, value]) => [client_id, textsOf(value)]));
}

/** JSON is YAML, and this reader refuses keys that are given twice. */
async function contentOf(file: string): Promise<JsonValue> {
  const [read] = await readFiles([file]);
  const { documents, problems } = plainDocuments(read?.content ?? '');
  const [problem] = problems;
  if (problem !== undefined) throw new CommandFailure(`${file}:${problem.line}: ${problem.words}`);
  const [content] = documents;
  if (documents.length === 1 && content !== undefined) return content;
  throw new CommandFailure(`${file} must hold one JSON value of at most ${FILE_BYTES_MAX} bytes`);
}

function printTold(told: Told, { print }: Surroundings): void {
  const title = `${told.outcome.padEnd('unchanged'.length)}  ${told.client_id}`;
  if (told.outcome === 'skipped') return print(`${title}: ${told.skipped}`);
  print(told.carried.length === 0 ? title : `${title}: ${told.carried.join(' ')}`);
  for (const sentence of told.refused) print(`  refused: ${sentence}`);
  for (const sentence of told.changed) print(`  changed: ${sentence}`);
  for (const sentence of told.lost) print(`  not carried over: ${sentence}`);
}
