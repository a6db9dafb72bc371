import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { doneEvent, record } from '../../clients/audit-trail.ts';
import { exportClients } from '../../clients/export-import/export-clients.ts';
import { operands } from '../command-input.ts';
import type { CommandContext, Run } from '../commands.ts';
import { auditedAct, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';

const OWNER_ONLY = 0o600;

/** Writes every client with its secrets: whoever reads it can act as any of them. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, out: { type: 'string' } },
  });
  operands(positionals, []);
  const { config, mode, tenant, out } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { needs } = session;
    return await auditedAct(session, 'client.list', async (trail) => {
      record(needs, doneEvent(needs, trail, 'exported with secrets'));
      const lines = exportClients(needs);
      const { written, unreadable } =
        out === undefined
          ? await writeAll(lines, (line) => context.print(line))
          : await writeFile(lines, out);
      if (out !== undefined) report(written, out, context, values.json);
      return unreadable === 0 ? 0 : 1;
    });
  });
};

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
  return { written, unreadable };
}

function report(clients: number, out: string, { print }: CommandContext, json: boolean): void {
  print(json ? JSON.stringify({ clients, out }) : `${clients} clients exported to ${out}`);
}

/** Whole or not at all: what stands at `path` is replaced when everything is on the disk. */
async function writeFile(lines: AsyncIterable<string | undefined>, path: string): Promise<Written> {
  const draft = `${path}.new`;
  const descriptor = openSync(draft, 'w', OWNER_ONLY);
  try {
    // The mode of `open` does not concern a file that an interrupted export has left.
    chmodSync(draft, OWNER_ONLY);
    const written = await writeAll(lines, (line) => writeFileSync(descriptor, `${line}\n`));
    fsyncSync(descriptor);
    renameSync(draft, path);
    return written;
  } catch (failure) {
    rmSync(draft, { force: true });
    throw failure;
  } finally {
    closeSync(descriptor);
  }
}
