import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packaged, runFile } from '../child.ts';

/** Writes the typed client as JavaScript with declarations, for programs of others. */
export async function emitClient(folder: string): Promise<void> {
  // Browsers and every server runtime have these.
  await emit(folder, 'src/client/client.ts', '--lib es2022,dom,dom.iterable --types', '');
}

/** Writes the check of access tokens in the same way. It uses modules of Node. */
export async function emitResourceServer(folder: string): Promise<void> {
  await emit(folder, 'src/resource-server/resource-server.ts', '--lib es2023 --types node');
}

async function emit(
  folder: string,
  source: string,
  options: string,
  ...more: readonly string[]
): Promise<void> {
  const words = [
    `${source} --ignoreConfig --strict --declaration --rewriteRelativeImportExtensions`,
    `--target es2022 --module nodenext ${options}`,
  ].flatMap((line) => line.split(' '));
  const { how, output } = await runFile(
    packaged('typescript/bin/tsc'),
    ...words,
    ...more,
    '--outDir',
    folder,
  );
  if (how !== 0) throw new Error(output);
  // The compiler leaves the names of sources in declarations.
  for (const name of globSync('*.d.ts', { cwd: folder })) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/gu, "$1.js'"));
  }
}
