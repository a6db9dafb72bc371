import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LICENCE_FILE = /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/iu;

interface About {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * Returns the licences of the packages that the modules belong to, as one text.
 * @param modules absolute paths; those outside `node_modules` are our own
 * @throws for a package without the text of its licence: it must not be distributed
 */
export function licencesOf(modules: readonly string[]): string {
  const folders = modules.flatMap((module) => {
    const folder = packageFolder(module);
    return folder === undefined ? [] : [folder];
  });
  const parts = [...new Set(folders)]
    .map((folder) => ({ folder, about: aboutOf(folder) }))
    .sort((left, right) => (left.about.name < right.about.name ? -1 : 1))
    .map(({ folder, about }) => part(folder, about));
  return `The program contains these packages. Each has its licence below its name.\n${parts.join('')}`;
}

function part(folder: string, { name, version, license }: About): string {
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const all = texts.length > 0 ? texts : [...keptLicence(name), ...licenceInReadme(folder)];
  if (license === undefined || all.length === 0) throw new Error(`${name} has no licence, or no text of it`);
  return ['', '='.repeat(80), `${name} ${version} (${license})`, '', ...all, ''].join('\n');
}

/** Returns the text that this repository keeps for a package that names its licence and its author, and brings no text. */
function keptLicence(name: string): readonly string[] {
  const file = join(import.meta.dirname, 'licences', `${name.replace('/', '+')}.txt`);
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}

function licenceInReadme(folder: string): readonly string[] {
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const found = /^#+ licen[cs]e\n+([\s\S]+)$/imu.exec(text)?.[1]?.trim();
  return found === undefined ? [] : [found];
}

/** Returns the folder of the package that the module belongs to: packages may bring others in a `node_modules` of their own. */
function packageFolder(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(module)?.[0];
}

function aboutOf(folder: string): About {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) throw new Error(`${dirname(file)} is not a package`);
  return JSON.parse(readFileSync(file, 'utf8')) as About;
}
