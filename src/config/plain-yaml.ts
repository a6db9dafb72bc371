import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { JsonValue } from '../spec/json.ts';

/** The maximum number of values in a file, those that aliases stand for included: nested aliases grow exponentially. */
const VALUES_MAX = 3_000_000;

/** The maximum nesting of maps and lists. */
const DEPTH_MAX = 64;

/** A mistake in a file, with the line that it begins at. */
export interface YamlProblem {
  readonly line: number;
  readonly words: string;
}

/** The documents of a file as JSON values. Objects have no prototype, so that `__proto__` is an ordinary key. */
export interface PlainDocuments {
  readonly documents: readonly JsonValue[];
  readonly problems: readonly YamlProblem[];
  /** Returns the line at which a map or a list begins. */
  readonly lineOf: (value: unknown) => number | undefined;
}

/**
 * Reads the documents of a YAML 1.2 text: the core schema, no tags, no merge keys. JSON is YAML. Every key must be unique, and every
 * number must be one that JSON readers agree on.
 */
export function plainDocuments(content: string): PlainDocuments {
  // The parser takes about 20 ms to load, and few commands need it.
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml;
  const lines = new yaml.LineCounter();
  const problems: YamlProblem[] = [];
  const parsed = parsedDocuments(yaml, content, lines, problems);
  const reader = new PlainReader(yaml, lines, problems);
  const documents = problems.length > 0 ? [] : parsed.map((document) => reader.document(document));
  return { documents, problems, lineOf: (value) => reader.lineOf(value) };
}

function parsedDocuments(
  yaml: typeof Yaml,
  content: string,
  lines: Yaml.LineCounter,
  problems: YamlProblem[],
): readonly Yaml.Document[] {
  try {
    const parsed = yaml.parseAllDocuments(content, {
      schema: 'core',
      version: '1.2',
      merge: false,
      resolveKnownTags: false,
      prettyErrors: false,
      intAsBigInt: true,
      // Found by the reader, in a time that grows with the number of keys and not with its square.
      uniqueKeys: false,
      lineCounter: lines,
    });
    const documents: readonly Yaml.Document[] = Array.isArray(parsed) ? parsed : [];
    for (const { code, pos } of documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])) {
      // The parser's messages quote the file, which may hold secrets. Its codes do not.
      const words = `is not plain YAML: ${code.toLowerCase().replaceAll('_', ' ')}`;
      problems.push({ line: lines.linePos(pos[0]).line, words });
    }
    return documents;
  } catch (failure) {
    // The parser calls itself for each level.
    if (!(failure instanceof RangeError)) throw failure;
    problems.push({ line: 1, words: `is nested deeper than ${DEPTH_MAX} levels` });
    return [];
  }
}

const isSimple = (value: unknown): value is string | number | bigint | boolean =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value);

interface Read {
  readonly value: JsonValue;
  /** The number of values in it, itself included. */
  readonly size: number;
}

const NOTHING: Read = { value: null, size: 1 };

class PlainReader {
  readonly #yaml: typeof Yaml;
  readonly #lines: Yaml.LineCounter;
  readonly #problems: YamlProblem[];
  readonly #lineOf = new WeakMap<object, number>();
  #anchors = new Map<string, Read>();
  #values = 0;

  constructor(yaml: typeof Yaml, lines: Yaml.LineCounter, problems: YamlProblem[]) {
    this.#yaml = yaml;
    this.#lines = lines;
    this.#problems = problems;
  }

  lineOf(value: unknown): number | undefined {
    return typeof value === 'object' && value !== null ? this.#lineOf.get(value) : undefined;
  }

  document({ contents }: Yaml.Document): JsonValue {
    this.#anchors = new Map();
    return this.#read(contents, 1).value;
  }

  #read(node: Yaml.Node | null, depth: number): Read {
    if (node === null || this.#problems.length > 0) return NOTHING;
    if (depth > DEPTH_MAX) return this.#refuse(node, `is nested deeper than ${DEPTH_MAX} levels`);
    const read = this.#plain(node, depth);
    const anchor = 'anchor' in node ? node.anchor : undefined;
    // An alias means the latest anchor before it. One inside of its own anchor has no end, and finds none.
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    if (typeof read.value === 'object' && read.value !== null && !this.#yaml.isAlias(node))
      this.#lineOf.set(read.value, this.#line(node));
    return read;
  }

  #plain(node: Yaml.Node, depth: number): Read {
    if (this.#yaml.isAlias(node)) return this.#alias(node);
    if (this.#yaml.isMap(node)) return this.#map(node, depth);
    if (this.#yaml.isSeq(node)) return this.#list(node, depth);
    return this.#yaml.isScalar(node) ? this.#scalar(node) : this.#refuse(node, 'is not plain YAML');
  }

  #alias(node: Yaml.Alias): Read {
    const found = this.#anchors.get(node.source);
    if (found === undefined) return this.#refuse(node, 'has an alias without an anchor before it');
    return this.#counted(node, found.value, found.size);
  }

  #map(node: Yaml.YAMLMap, depth: number): Read {
    const members: { [name: string]: JsonValue } = Object.create(null);
    let size = 1;
    for (const { key, value } of node.items) {
      const name = this.#key(key as Yaml.Node | null, node);
      if (Object.hasOwn(members, name)) {
        const words = `has the key ${JSON.stringify(name)} twice in one map`;
        this.#refuse(this.#yaml.isNode(key) ? key : node, words);
      }
      const read = this.#read(value as Yaml.Node | null, depth + 1);
      members[name] = read.value;
      size += read.size;
    }
    return this.#counted(node, members, size, 1);
  }

  #key(key: Yaml.Node | null, map: Yaml.YAMLMap): string {
    if (this.#yaml.isScalar(key) && key.value === '<<')
      this.#refuse(
        key,
        'has a merge key (<<), which YAML 1.2 does not have: repeat the members, or use `defaults`',
      );
    if (this.#yaml.isScalar(key) && isSimple(key.value)) return String(key.value);
    this.#refuse(key ?? map, 'has a key that is not text');
    return '';
  }

  #list(node: Yaml.YAMLSeq, depth: number): Read {
    let size = 1;
    const list = node.items.map((item) => {
      const read = this.#read(item as Yaml.Node | null, depth + 1);
      size += read.size;
      return read.value;
    });
    return this.#counted(node, list, size, 1);
  }

  #scalar(node: Yaml.Scalar): Read {
    const { value } = node;
    if (typeof value === 'bigint') {
      const number = Number(value);
      if (Number.isSafeInteger(number)) return this.#counted(node, number, 1);
      return this.#refuse(
        node,
        'has a whole number beyond 2^53, which JSON readers change: write it as text',
      );
    }
    if (typeof value === 'number' && !Number.isFinite(value))
      return this.#refuse(node, 'has a number that is not finite');
    return this.#counted(node, value as JsonValue, 1);
  }

  /** @param fresh how many values were not counted yet */
  #counted(node: Yaml.Node, value: JsonValue, size: number, fresh = size): Read {
    this.#values += fresh;
    if (this.#values <= VALUES_MAX) return { value, size };
    return this.#refuse(node, `has more than ${VALUES_MAX} values, those of its aliases included`);
  }

  #refuse(node: Yaml.Node, words: string): Read {
    this.#problems.push({ line: this.#line(node), words });
    return NOTHING;
  }

  #line({ range }: Yaml.Node): number {
    return this.#lines.linePos(range?.[0] ?? 0).line;
  }
}
