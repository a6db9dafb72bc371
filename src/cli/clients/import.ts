import { parseArgs } from 'node:util';
import {
  type ImportOptions,
  type ImportOutcome,
  importClient,
} from '../../clients/export-import/import-clients.ts';
import { readExportHeader } from '../../clients/export-import/imported-client.ts';
import { OAuthError } from '../../spec/errors.ts';
import { CommandFailure } from '../command-failure.ts';
import { operands, readLines } from '../command-input.ts';
import type { CommandContext, Run } from '../commands.ts';
import { auditedAct, REGISTRY_OPTIONS, type RegistrySession, withRegistry } from '../registry-session.ts';

/** A client is as large as a request, and as much again around it: secrets, privileges, escapes. */
const LINE_BYTES_PER_BODY = 4;

/** Imports that share a commit. */
const BATCH = 50;

type Tally = Record<ImportOutcome | 'refused', number>;

/**
 * Brings the clients of an export. A line that is refused is reported and the others go on; interrupted or mended, it
 * is run again: what is there already is left as it is.
 */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...REGISTRY_OPTIONS,
      replace: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const [file = ''] = operands(positionals, ['FILE']);
  const { config, mode, tenant, json, replace, 'dry-run': dryRun } = values;
  return await withRegistry({ config, mode, tenant, create: true }, context, async (session) => {
    const tally = await importAll(session, file, { replace, dryRun }, context);
    context.print(
      json
        ? JSON.stringify({ ...tally, dry_run: dryRun })
        : `${dryRun ? 'dry run: ' : ''}${Object.entries(tally)
            .map(([outcome, clients]) => `${clients} ${outcome}`)
            .join(', ')}`,
    );
    return tally.refused === 0 ? 0 : 1;
  });
};

async function importAll(
  session: RegistrySession,
  file: string,
  options: ImportOptions,
  context: CommandContext,
): Promise<Tally> {
  const tally: Tally = { imported: 0, replaced: 0, unchanged: 0, refused: 0 };
  const bytesMax = session.settings['limits.body'] * LINE_BYTES_PER_BODY;
  let number = 0;
  let batch: Promise<void>[] = [];
  for await (const line of readLines(file, bytesMax)) {
    number += 1;
    if (number === 1) {
      warnOfAnotherIssuer(session, line, context);
      continue;
    }
    if (line.length === 0) continue;
    batch.push(importLine(session, { number, line }, options, { tally, context }));
    if (batch.length < BATCH) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  if (number === 0) throw new CommandFailure(`${file} is empty`);
  return tally;
}

function warnOfAnotherIssuer({ needs }: RegistrySession, line: Uint8Array, context: CommandContext): void {
  const { issuer } = readExportHeader(needs, line);
  if (issuer === needs.issuer) return;
  context.complain(
    `the clients are those of ${JSON.stringify(issuer)}, and this is ${needs.issuer}: they must learn of the new issuer`,
  );
}

async function importLine(
  session: RegistrySession,
  { number, line }: { readonly number: number; readonly line: Uint8Array },
  options: ImportOptions,
  { tally, context }: { readonly tally: Tally; readonly context: CommandContext },
): Promise<void> {
  try {
    const outcome = await auditedAct(
      session,
      'client.import',
      async (trail) => await importClient(session.needs, line, options, trail),
    );
    tally[outcome] += 1;
  } catch (failure) {
    if (!(failure instanceof OAuthError)) throw failure;
    tally.refused += 1;
    context.complain(`line ${number}: ${failure.message}`);
  }
}
