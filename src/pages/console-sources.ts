import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsoleFiles } from '../ports/console-files.ts';
import { filesOf } from './console-files.ts';

const ROOT = join(import.meta.dirname, '../console');
const ENTRY = join(ROOT, 'main.ts');

/** The words by which a module names another one. The formatter writes no other form. */
const NAMED = /(\bfrom\s*|^import\s*)(['"])([^'"\n]+)\2/gmu;

const DIGEST_LENGTH = 12;

/** A file before it has its name. */
interface Source {
  readonly path: string;
  readonly text: string;
}

/**
 * Serves the console from the sources of a checkout, without a bundler: types are stripped, and each module keeps a file of its own
 * (ADR 85). All names change with the content of all files.
 */
export async function consoleFromSources(): Promise<ConsoleFiles> {
  const modules = await modulesFrom(ENTRY);
  const styles = await filesIn(join(ROOT, 'style'), '.css');
  const messages = await filesIn(join(ROOT, 'messages'), '.json');
  const icon = { path: join(ROOT, 'icon.svg'), text: await readFile(join(ROOT, 'icon.svg'), 'utf8') };
  const all = [...modules, ...styles, ...messages, icon];
  const digest = hash('sha256', all.map(({ text }) => text).join('\0'), 'hex').slice(0, DIGEST_LENGTH);
  const nameOf = (path: string): string => `${digest}.${flatName(path)}`;
  const texts = all.map(
    ({ path, text }) =>
      [nameOf(path), isModule(path) ? renamed(text, path, (to) => `./${nameOf(to)}`) : text] as const,
  );
  return await filesOf(
    {
      script: nameOf(ENTRY),
      modules: modules.map(({ path }) => nameOf(path)).filter((name) => name !== nameOf(ENTRY)),
      styles: styles.map(({ path }) => nameOf(path)),
      icon: nameOf(icon.path),
      messages: Object.fromEntries(messages.map(({ path }) => [basename(path, '.json'), nameOf(path)])),
    },
    new Map(texts),
  );
}

const isModule = (path: string): boolean => /\.m?[jt]s$/u.test(path);

/** Returns a module and everything that it imports, without types. */
async function modulesFrom(entry: string): Promise<readonly Source[]> {
  const found = new Map<string, Source>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const written = await readFile(path, 'utf8');
    const text = extname(path) === '.ts' ? stripTypeScriptTypes(written) : written;
    found.set(path, { path, text });
    for (const [, , , to = ''] of text.matchAll(NAMED)) waiting.push(resolved(to, path));
  }
  return [...found.values()];
}

/** Returns the file that a module names: a package is found as this program finds it. */
function resolved(to: string, from: string): string {
  return to.startsWith('.') ? join(dirname(from), to) : fileURLToPath(import.meta.resolve(to));
}

function renamed(text: string, from: string, nameOf: (path: string) => string): string {
  return text.replaceAll(
    NAMED,
    (_all, words: string, quote: string, to: string) =>
      `${words}${quote}${nameOf(resolved(to, from))}${quote}`,
  );
}

/** Returns the name of a file in one folder for all: dots stand for slashes. */
function flatName(path: string): string {
  const place = path.includes('/node_modules/')
    ? path.slice(path.lastIndexOf('/node_modules/') + '/node_modules/'.length)
    : relative(dirname(ROOT), path);
  return place.replaceAll(/[^\w.-]+/gu, '.').replace(/\.m?[jt]s$/u, '.js');
}

async function filesIn(folder: string, extension: string): Promise<readonly Source[]> {
  const names = (await readdir(folder)).filter((name) => extname(name) === extension).sort();
  return await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      text: await readFile(join(folder, name), 'utf8'),
    })),
  );
}
