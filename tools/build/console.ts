import { hash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { CONSOLE_ENTRY } from '../../src/pages/console-files.ts';
import { ROOT } from '../child.ts';

const SOURCES = join(ROOT, 'src/console');

/** The compressed scripts of the console may have this many bytes in all: a slow line loads them in a second (ADR 85). */
const SCRIPT_BYTES_MAX = 200 * 1024;

const DIGEST_LENGTH = 12;

/**
 * Writes the console as a few files whose names change with their content, and the list of them.
 * @returns the absolute paths of the modules in the script
 * @throws if the compressed script is larger than the console may be
 */
export async function bundleConsole(folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const { code, modules } = await bundledScript();
  requireSmall(code);
  const kept = (name: string, extension: string, text: string): string => {
    const file = `${name}-${hash('sha256', text, 'hex').slice(0, DIGEST_LENGTH)}${extension}`;
    writeFileSync(join(folder, file), text);
    return file;
  };
  const styles = globSync('style/*.css', { cwd: SOURCES }).sort().map(read).join('\n');
  const messages = globSync('messages/*.json', { cwd: SOURCES })
    .sort()
    .map((file) => {
      const language = basename(file, '.json');
      return [language, kept(language, '.json', JSON.stringify(JSON.parse(read(file))))] as const;
    });
  const entry = {
    script: kept('console', '.js', code),
    modules: [],
    styles: [kept('console', '.css', withoutComments(styles))],
    icon: kept('icon', '.svg', read('icon.svg')),
    messages: Object.fromEntries(messages),
  };
  writeFileSync(join(folder, CONSOLE_ENTRY), JSON.stringify(entry));
  return modules;
}

const read = (file: string): string => readFileSync(join(SOURCES, file), 'utf8');

async function bundledScript(): Promise<{ readonly code: string; readonly modules: readonly string[] }> {
  await using bundle = await rolldown({
    input: join(SOURCES, 'main.ts'),
    cwd: ROOT,
    platform: 'browser',
    onLog(level, log) {
      throw new Error(`rolldown: ${level}: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify: true });
  const [script] = output;
  return { code: script.code, modules: script.moduleIds.filter((id) => existsSync(id)).sort() };
}

/** @throws if the script is too large */
function requireSmall(code: string): void {
  const bytes = gzipSync(code).length;
  if (bytes > SCRIPT_BYTES_MAX)
    throw new Error(
      `the script of the console has ${bytes} bytes compressed; it may have ${SCRIPT_BYTES_MAX} (docs/adr/0085-console.md)`,
    );
}

const withoutComments = (styles: string): string =>
  styles.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/\n\s*/gu, '\n');
