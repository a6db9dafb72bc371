import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { ROOT } from '../child.ts';

const ENTRY = 'src/cli/chancery.ts';

/** Sources that another source loads by name, and the words for them in the bundle. Each becomes a file of its own. */
const FILES: readonly { readonly words: RegExp; readonly inBundle: (name: string) => string }[] = [
  {
    // A thread or a process shares no file with the program, so that it loads little.
    words: /new URL\('(\.[^']+-(?:thread|process))\.ts', import\.meta\.url\)/gu,
    inBundle: (name) => `new URL('./${name}.js', import.meta.url)`,
  },
];
/** A package that is loaded when it is needed. */
const PACKAGE = /createRequire\(import\.meta\.url\)\('([^'.][^']*)'\)/gu;
const ABOUT = "new URL('../../package.json', import.meta.url)";
/** Any other way to find a file beside a source would fail in the bundle, where it is not. */
const STRANGE =
  /new URL\((?!'\.\/[\w-]+\.js'|'\.\.\/package\.json').*import\.meta\.url|createRequire\(import\.meta\.url\)\((?!'\.\/)|import\.meta\.dirname(?!, '(?:theme|console|\.\.\/console)'\))/u;

/**
 * The files of the program, beside the small ones of commands: each has a source with all that it imports, unless a file above has it.
 * A part that is loaded late (docs/adr/0098-late-loading.md) is a file of its own, so that a start does not read it.
 */
const PARTS: readonly { readonly name: string; readonly test: RegExp }[] = [
  { name: 'command-line', test: /\/src\/(?:cli\/main|system\/program-version)\.ts$/u },
  { name: 'settings', test: /\/src\/config\/load-settings\.ts$/u },
  { name: 'start', test: /\/src\/cli\/serve\.ts$/u },
  { name: 'log', test: /\/src\/system\/log\.ts$/u },
  // All that a supervisor of several processes needs.
  { name: 'management', test: /\/src\/process\/workers\.ts$/u },
  { name: 'server', test: /\/src\/process\/(?:serve|worker)\.ts$/u },
  { name: 'sqlite', test: /\/src\/storage\/sqlite\/(?:open|sqlite-schema|table-dump)\.ts$/u },
  { name: 'postgres', test: /\/src\/storage\/postgres\/(?:open|migrations|table-dump)\.ts$/u },
  { name: 'federation', test: /\/src\/tenant\/federation\.ts$/u },
  { name: 'event-signals', test: /\/src\/tenant\/signals\.ts$/u },
  { name: 'administration', test: /\/src\/tenant\/admin-endpoints\.ts$/u },
  { name: 'commands', test: /\/src\/cli\/(?!(?:chancery|compile-cache|dev|runtime)\.ts$)/u },
];

/** Collects, while files are bundled, the sources and packages that become files of their own. */
interface Apart {
  /** Sources by the name of their file in the bundle, without extension. */
  readonly sources: Map<string, string>;
  readonly packages: Set<string>;
}

/**
 * Writes the program as a few files with source maps.
 * @returns the absolute paths of the modules in them
 */
export async function bundleProgram(folder: string): Promise<readonly string[]> {
  const apart: Apart = { sources: new Map([['chancery', join(ROOT, ENTRY)]]), packages: new Set() };
  const modules = new Set<string>();
  // The map and the set grow while they are walked.
  for (const [name, source] of apart.sources)
    for (const module of await write(folder, name, source, MODULE, apart)) modules.add(module);
  for (const name of apart.packages)
    for (const module of await write(folder, name, name, COMMONJS, apart)) modules.add(module);
  return [...modules].sort();
}

const MODULE: OutputOptions = { format: 'esm', entryFileNames: '[name].js' };
/** Only `require` loads a file in the middle of a function. */
const COMMONJS: OutputOptions = { format: 'cjs', entryFileNames: '[name].cjs', exports: 'named' };

async function write(
  folder: string,
  name: string,
  source: string,
  form: OutputOptions,
  apart: Apart,
): Promise<readonly string[]> {
  await using bundle = await rolldown({
    input: { [name]: source },
    cwd: ROOT,
    platform: 'node',
    // pg-native is an optional companion of pg that the product does not have.
    external: ['pg-native'],
    plugins: [namedFiles(apart), lightHttp(), asciiOnly()],
    onLog(level, log) {
      // Commands load late what a server needs at its start. A test says what a server must not load (ADR 98).
      if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return;
      throw new Error(`rolldown: ${level}: ${log.message}`);
    },
  });
  const { output } = await bundle.write({
    ...form,
    dir: folder,
    codeSplitting: form === MODULE && source.endsWith(ENTRY) ? { groups: [...PARTS] } : false,
    chunkFileNames: '[name].js',
    minify: false,
    sourcemap: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    // The same octets wherever the checkout and the folder are.
    sourcemapPathTransform: (path, map) => `../../${resolve(map, '..', path).slice(ROOT.length + 1)}`,
  });
  return output
    .flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
    .filter((id) => existsSync(id));
}

/** Renames what sources find by name, and remembers what must be written there. */
function namedFiles({ sources, packages }: Apart): Plugin {
  return {
    name: 'named files',
    transform: {
      filter: { id: /\/src\/.*\.ts$/u },
      handler(text, id) {
        let code = text;
        for (const { words, inBundle } of FILES) {
          code = code.replaceAll(words, (_all, path: string) => {
            const name = path.slice(path.lastIndexOf('/') + 1);
            sources.set(name, resolve(id, '..', `${path}.ts`));
            return inBundle(name);
          });
        }
        code = code
          .replaceAll(PACKAGE, (_all, name: string) => {
            packages.add(name);
            return `createRequire(import.meta.url)('./${name}.cjs')`;
          })
          .replaceAll(ABOUT, "new URL('../package.json', import.meta.url)");
        const strange = STRANGE.exec(code);
        if (strange !== null) this.error(`${id}: tools/build/bundle.ts has no rule for ${strange[0]}`);
        // No line moves, so the map of the text serves.
        return code === text ? undefined : { code, map: null };
      },
    },
  };
}

/**
 * Takes `node:http` without its namespace. An `import` reads every member, `WebSocket` among them, and that loads a client
 * for HTTP which the program does not use: 20 ms and several megabytes.
 */
function lightHttp(): Plugin {
  return {
    name: 'node:http without its namespace',
    renderChunk(text) {
      const code = text.replaceAll(
        /^import \{([^}]*)\} from "node:http";$/gmu,
        (_all, names: string) =>
          `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("node:http");`,
      );
      return code === text ? undefined : { code, map: null };
    },
  };
}

/** V8 keeps a text with one character above Latin-1 as two octets a character: escapes halve the memory that the program's text takes. */
function asciiOnly(): Plugin {
  return {
    name: 'ASCII only',
    renderChunk(text) {
      // An escape means nothing in such a template.
      if (/String\.raw`[^`]*[^\0-\x7f][^`]*`/u.test(text))
        this.error('String.raw with a character that is not ASCII');
      const code = text.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      return { code, map: null };
    },
  };
}
