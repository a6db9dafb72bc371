import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packaged, runFile } from '../child.ts';

/** Writes the typed client as JavaScript with declarations, for programs of others. */
export async function emitClient(folder: string): Promise<void> {
  const words = [
    'src/client/client.ts --ignoreConfig --strict --declaration --rewriteRelativeImportExtensions',
    // Browsers and every server runtime have these.
    '--target es2022 --lib es2022,dom,dom.iterable --module nodenext',
  ].flatMap((line) => line.split(' '));
  const { how, output } = await runFile(
    packaged('typescript/bin/tsc'),
    ...words,
    '--types',
    '',
    '--outDir',
    folder,
  );
  if (how !== 0) throw new Error(output);
  // The compiler leaves the names of sources in declarations.
  for (const name of globSync('*.d.ts', { cwd: folder })) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/\w+)\.ts'/gu, "$1.js'"));
  }
}
