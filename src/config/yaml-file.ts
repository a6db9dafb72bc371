import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type * as Yaml from 'yaml';
import { nearest } from '../spec/nearest.ts';
import { failureCode, type GivenValues } from './environment.ts';
import { SETTING_PATHS, type SettingPath, settingAt } from './settings.ts';
import type { SettingsProblem } from './settings-error.ts';

/** The maximum number of nodes that aliases may expand to, because nested aliases grow exponentially. */
const ALIASES_MAX = 100;

const SECTIONS: ReadonlySet<string> = new Set(SETTING_PATHS.flatMap((path) => path.split('.').slice(0, -1)));
const PATHS: ReadonlySet<string> = new Set(SETTING_PATHS);

interface Reading {
  readonly yaml: typeof Yaml;
  readonly document: Yaml.Document;
  readonly lines: Yaml.LineCounter;
  readonly file: string;
  readonly values: GivenValues;
  readonly problems: SettingsProblem[];
}

/** Returns the settings in a YAML file. A section is a map; everything below it is a value. */
export function readYamlFile(file: string, problems: SettingsProblem[]): GivenValues {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (failure) {
    problems.push({
      path: 'configuration file',
      source: file,
      rule: `cannot be read: ${failureCode(failure)}`,
    });
    return new Map();
  }
  return parseYaml(content, file, problems);
}

/** Returns the settings in a YAML text. Problems name it by `file`. */
export function parseYaml(content: string, file: string, problems: SettingsProblem[]): GivenValues {
  // The parser takes about 20 ms to load, and most deployments set environment variables only.
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml;
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(content, {
    schema: 'core',
    version: '1.2',
    merge: false,
    resolveKnownTags: false,
    prettyErrors: false,
    uniqueKeys: false, // Found by `readMap`, which knows the path.
    lineCounter: lines,
  });
  const values: GivenValues = new Map();
  // The parser's messages quote the file, which may hold secrets. Its codes do not.
  for (const { code, pos } of [...document.errors, ...document.warnings]) {
    const rule = `is not plain YAML at line ${lines.linePos(pos[0]).line}: ${code.toLowerCase().replaceAll('_', ' ')}`;
    problems.push({ path: 'configuration file', source: file, rule });
  }
  if (document.errors.length === 0) readRoot({ yaml, document, lines, file, values, problems });
  return values;
}

function readRoot(reading: Reading): void {
  const { yaml, document, file, problems } = reading;
  if (yaml.isMap(document.contents)) readMap(reading, document.contents, '');
  else if (!isEmpty(reading, document.contents)) {
    problems.push({ path: 'configuration file', source: file, rule: 'must be a map of settings' });
  }
}

function isEmpty({ yaml }: Reading, node: unknown): boolean {
  return node === null || (yaml.isScalar(node) && node.value === null);
}

function readMap(reading: Reading, map: Yaml.YAMLMap, section: string): void {
  const seen = new Set<string>();
  for (const { key, value } of map.items) {
    const { name, line } = keyOf(reading, key as Yaml.Node | null);
    const path = section === '' ? name : `${section}.${name}`;
    if (seen.has(name)) report(reading, path, `is given twice, again at line ${line}`);
    else if (section === '' && SECTIONS.has(name)) readSection(reading, value, name);
    else if (PATHS.has(path) && !name.includes('.'))
      readValue(reading, path as SettingPath, value as Yaml.Node | null);
    else report(reading, path, `is not a setting (line ${line})${meant(path)}`);
    seen.add(name);
  }
}

function keyOf({ yaml, lines }: Reading, key: Yaml.Node | null): { name: string; line: number } {
  const name = yaml.isScalar(key) ? String(key.value) : 'a key that is not text';
  return { name, line: lines.linePos(key?.range?.[0] ?? 0).line };
}

function readSection(reading: Reading, value: unknown, section: string): void {
  const { yaml, document } = reading;
  const node = yaml.isAlias(value) ? value.resolve(document) : value;
  if (yaml.isMap(node)) readMap(reading, node, section);
  // All settings of the section are commented out.
  else if (node === undefined || !isEmpty(reading, node))
    report(reading, section, 'must be a map of settings');
}

function readValue(reading: Reading, path: SettingPath, node: Yaml.Node | null): void {
  const twice = node === null ? undefined : keyGivenTwice(reading, node);
  if (twice !== undefined) {
    report(reading, path, `holds a map with a key that is given twice, again at line ${twice}`);
    return;
  }
  try {
    const value: unknown =
      node?.toJS(reading.document, { mapAsMap: true, maxAliasCount: ALIASES_MAX }) ?? null;
    const { structured, secret } = settingAt(path);
    const named = secret ? namedFile(value) : undefined;
    if (named !== undefined) readSecret(reading, path, named);
    else
      reading.values.set(path, {
        value: structured === true ? withObjects(value) : value,
        source: reading.file,
      });
  } catch {
    report(reading, path, `uses aliases that cannot be resolved or stand for more than ${ALIASES_MAX} nodes`);
  }
}

/** Returns the name in `{ file: NAME }`; undefined for any other value. */
function namedFile(value: unknown): string | undefined {
  if (!(value instanceof Map) || value.size !== 1) return undefined;
  const name: unknown = value.get('file');
  return typeof name === 'string' ? name : undefined;
}

/** Reads a secret from a file of its own. A relative name begins at the folder of the YAML file. */
function readSecret({ file, values, problems }: Reading, path: SettingPath, name: string): void {
  const secretFile = resolve(dirname(file), name);
  try {
    const text = readFileSync(secretFile, 'utf8').trim();
    values.set(path, { value: settingAt(path).fromText(text), source: secretFile, secretFile });
  } catch (failure) {
    problems.push({ path, source: file, rule: `names a file that cannot be read: ${failureCode(failure)}` });
  }
}

/** Returns the line of a repeated key. The parser would silently keep the later value. */
function keyGivenTwice(reading: Reading, node: Yaml.Node): number | undefined {
  let found: number | undefined;
  const Map = (_: unknown, map: Yaml.YAMLMap): symbol | undefined => {
    const seen = new Set<string>();
    for (const { key } of map.items) {
      const { name, line } = keyOf(reading, key as Yaml.Node | null);
      if (seen.has(name)) found = line;
      seen.add(name);
    }
    return found === undefined ? undefined : reading.yaml.visit.BREAK;
  };
  reading.yaml.visit(node, { Map });
  return found;
}

/** Returns maps as the objects that a schema describes. */
function withObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withObjects);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, member]) => [String(key), withObjects(member)]));
}

function report({ problems, file }: Reading, path: string, rule: string): void {
  problems.push({ path, source: file, rule });
}

/** Returns a hint at the setting that an unknown key means, also without its section and with underscores. */
function meant(path: string): string {
  const kebab = path.replaceAll('_', '-').toLowerCase();
  const close =
    SETTING_PATHS.find((known) => known === kebab || known.endsWith(`.${kebab}`)) ?? nearest(kebab, known());
  if (close === undefined) return '';
  return close === path ? `; nest it: ${close.replace('.', ': { ')}: … }` : `; did you mean ${close}?`;
}

function known(): string[] {
  return [...SETTING_PATHS, ...SECTIONS];
}
