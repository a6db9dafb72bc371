import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJsonObject } from '../spec/json.ts';
import type { DeclarationFile, Declarations } from './declarations.ts';
import { readDeclarations } from './declarations.ts';
import { CommandFailure } from './failure.ts';
import { readInput } from './input.ts';
import type { Plan } from './plan-make.ts';
import { anchored } from './secret-reference.ts';
import type { PlacedTenant } from './tenant-declarations.ts';

/** Bytes of one file: about a hundred thousand clients. */
export const FILE_BYTES_MAX = 33_554_432;

/** The format version of a stored plan: 2 since plans have tenants. */
const PLAN_VERSION = 2;

const DECLARATION_FILE = /\.(?:ya?ml|json)$/u;

/** Returns the names of the files that a word of the command line means: itself, or the files in a folder, in their order. */
function filesOf(word: string): readonly string[] {
  if (word === '-') return [word];
  const found = statSync(word, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailure(`there is no file ${word}`);
  if (!found.isDirectory()) return [word];
  const names = readdirSync(word).filter((name) => DECLARATION_FILE.test(name) && !name.startsWith('.'));
  if (names.length === 0) throw new CommandFailure(`${word} has no file that ends in .yaml, .yml or .json`);
  return names.toSorted().map((name) => join(word, name));
}

/** Reads files and folders. */
export async function readFiles(words: readonly string[]): Promise<readonly DeclarationFile[]> {
  const files: DeclarationFile[] = [];
  for (const name of words.flatMap(filesOf)) {
    const size = name === '-' ? 0 : (lstatSync(name, { throwIfNoEntry: false })?.size ?? 0);
    if (size > FILE_BYTES_MAX)
      throw new CommandFailure(`${name} is larger than ${FILE_BYTES_MAX} bytes: split it`);
    const bytes = await readInput(name, FILE_BYTES_MAX, 'split it');
    files.push({ name, content: textOf(name, bytes) });
  }
  return files;
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`${name} is not UTF-8`);
  }
}

/** Reads the declarations in files. Throws CommandFailure if they have a mistake; each one is reported before. */
export function declarationsIn(
  files: readonly DeclarationFile[],
  tenant: string | undefined,
  report: (line: string) => void,
): Declarations {
  let mistakes = 0;
  const counted = (line: string): void => {
    mistakes += 1;
    report(line);
  };
  const { groups, tenants } = readDeclarations(files, tenant, counted);
  if (mistakes > 0)
    throw new CommandFailure(
      `${mistakes === 1 ? 'there is a mistake' : `there are ${mistakes} mistakes`} in the files: nothing was planned`,
    );
  return {
    tenants: tenants.map((group) => ({ ...group, tenants: group.tenants.map(tenantWithAnchors) })),
    groups: groups.map((group) => ({ ...group, clients: group.clients.map(withAnchor) })),
  };
}

type Client = Declarations['groups'][number]['clients'][number];

function withAnchor(client: Client): Client {
  if (client.secret === undefined) return client;
  return { ...client, secret: anchored(client.secret, folderOf(client)) };
}

function tenantWithAnchors(tenant: PlacedTenant): PlacedTenant {
  const secrets = Object.entries(tenant.secrets).map(
    ([path, reference]) => [path, anchored(reference, folderOf(tenant))] as const,
  );
  return { ...tenant, secrets: Object.fromEntries(secrets) };
}

function folderOf({ place }: Pick<Client, 'place'>): string {
  const file = place.replace(/:\d+$/u, '');
  return file === '-' ? '.' : dirname(file);
}

/** Renders a plan for `chancery apply PLANFILE`. It holds no secret. */
export function planText(plan: Plan, made_at: number): string {
  return JSON.stringify({ chancery_plan: PLAN_VERSION, made_at, ...plan });
}

const LIMITS = { depth: 200, members: 1_000_000 };

/** Returns the plan in a file that `planText` has written; undefined for any other file. */
export function planIn({ name, content }: DeclarationFile): Plan | undefined {
  if (!/^\s*\{\s*"chancery_plan"/u.test(content)) return undefined;
  const { members } = parseJsonObject(Buffer.from(content), LIMITS);
  if (
    members['chancery_plan'] !== PLAN_VERSION ||
    !Array.isArray(members['steps']) ||
    !Array.isArray(members['tenants'])
  )
    throw new CommandFailure(`${name} is not a plan of this version: plan again`);
  // The file is the operator's own, and each step is checked against the registry.
  return members as unknown as Plan;
}
