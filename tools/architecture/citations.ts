// A citation leads somewhere: each number is a row or a heading in docs/contract or docs/adr, each path a file, each link
// a target, each `npm run` a script, each document's name a document of this repository.
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { numbersIn } from '../citations.ts';
import { ownFiles } from '../own-files.ts';
import { commentsOf } from './source.ts';

export interface Citation {
  readonly path: string;
  /** The first line is 1. */
  readonly line: number;
  readonly kind: 'number' | 'section' | 'path' | 'link' | 'script' | 'document' | 'outside';
  readonly cited: string;
  readonly leadsSomewhere: boolean;
}

/** A text that cites. */
export interface Citing {
  /** Below the repository's root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Everything that can be cited. */
export interface Citable {
  /** `H-001`, `F1`, `decision 6`, `trap S2`, `ADR 12`. */
  readonly numbers: ReadonlySet<string>;
  /** Headings of docs/contract/interface.md. */
  readonly sections: readonly string[];
  /** Names of documents without their folder. */
  readonly documents: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
  /** Tells whether a file or folder exists; a pattern with `*` must match one. */
  readonly exists: (path: string) => boolean;
  /** Tells whether the last names of some source's path are these: `jwe.test.ts`, `spec/nearest.ts`. */
  readonly endsSource: (names: string) => boolean;
  /** Returns the anchors of a document. */
  readonly anchors: (path: string) => ReadonlySet<string>;
}

interface Found {
  readonly offset: number;
  readonly cited: string;
  readonly leadsSomewhere: boolean;
}

const root = dirname(dirname(import.meta.dirname));

const INTERFACE = 'docs/contract/interface.md';

const CITING = [
  '{src,test,tools,bench}/**/*.ts',
  '{bin,examples}/**/*.{mjs,js,md}',
  '{docs,test,bench}/**/*.md',
  '*.md',
];

/** Reads every file that may cite. */
export function readCiting(): readonly Citing[] {
  return ownFiles(root, ...CITING).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Reads what this repository offers to citations. */
export function readCitable(): Citable {
  const known = new Map<string, ReadonlySet<string>>();
  const anchors = (path: string): ReadonlySet<string> => {
    const found = known.get(path) ?? anchorsOf(readFileSync(join(root, path), 'utf8'));
    known.set(path, found);
    return found;
  };
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const sources = ownFiles(root, '{src,test,tools,bench,bin,examples}/**/*.{ts,mjs}');
  const documents = ownFiles(root, '**/*.md');
  return {
    numbers: new Set([
      ...globSync('docs/contract/**/*.md', { cwd: root }).flatMap((path) => [...anchors(path)].map(numberOf)),
      ...globSync('docs/adr/*.md', { cwd: root }).map(
        (path) => `ADR ${Number.parseInt(posix.basename(path), 10)}`,
      ),
    ]),
    sections: headingsOf(readFileSync(join(root, INTERFACE), 'utf8')),
    documents: new Set(documents.map((path) => posix.basename(path))),
    scripts: new Set(Object.keys(scripts)),
    exists,
    endsSource: (names) => sources.some((path) => path.endsWith(`/${names}`)),
    anchors,
  };
}

function exists(path: string): boolean {
  if (path.includes('*')) return globSync(path, { cwd: root }).length > 0;
  return statSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
}

/** `h-001` is `H-001`, `f16` is `F16`, `decision-6` is `decision 6`, `trap-s2` is `trap S2`. */
function numberOf(anchor: string): string {
  if (/^decision-\d+$/.test(anchor)) return anchor.replace('-', ' ');
  if (/^trap-s\d+$/.test(anchor)) return `trap ${anchor.slice('trap-'.length).toUpperCase()}`;
  return anchor.toUpperCase();
}

/** Returns the anchors of a Markdown text: those of its headings, as GitHub makes them, and those written as HTML. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set([...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  const seen = new Map<string, number>();
  for (const heading of headingsOf(markdown)) {
    const slug = slugOf(heading);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

function headingsOf(markdown: string): readonly string[] {
  return [...withoutFences(markdown).matchAll(/^#{1,6} (.+?)\s*#*$/gm)].map(([, heading = '']) => heading);
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/** Returns every citation of a text, with what it leads to. */
export function citationsIn({ path, text }: Citing, citable: Citable): readonly Citation[] {
  const isMarkdown = path.endsWith('.md');
  const prose = isMarkdown ? text : commentsOf(text);
  const of = (kind: Citation['kind'], found: readonly Found[]): readonly Citation[] =>
    found.map(({ offset, cited, leadsSomewhere }) => ({
      path,
      line: text.slice(0, offset).split('\n').length,
      kind,
      cited,
      leadsSomewhere,
    }));
  return [
    ...of('number', citedNumbers(text, citable)),
    ...of('section', citedSections(text, citable)),
    ...of('path', citedPaths(isMarkdown ? withoutTargets(text) : prose, citable)),
    ...of('path', path.startsWith('src/') ? documentsInStrings(text, prose, citable) : []),
    ...of('link', isMarkdown ? citedLinks(path, text, citable) : []),
    ...of('script', citedScripts(prose, citable)),
    ...of('document', citedDocuments(text, citable)),
    ...of('outside', citedFromOutside(text)),
  ];
}

function citedNumbers(text: string, { numbers }: Citable): readonly Found[] {
  return numbersIn(text).map(({ number, offset }) => ({
    offset,
    cited: number,
    leadsSomewhere: numbers.has(number),
  }));
}

/** `interface, Errors` and `interface: POST /clients` name a heading; a number behind it is an item of its list. */
function citedSections(text: string, { sections }: Citable): readonly Found[] {
  return [...text.matchAll(/\binterface[,:] ([A-Z][\w /{}.-]*)/g)].map(({ 1: cited = '', index }) => ({
    offset: index,
    cited,
    leadsSomewhere: sections.some((section) => cited.startsWith(section)),
  }));
}

/** A path from the root: not one in an address, in a package, or relative to something. */
const PATH = /(?<![\w./@:~\\-])(?:src|test|tools|docs|bench|bin|examples)\/[\w./*{},<>…$-]*/g;

/** A source by its last names only. */
const SOURCE = /(?<![\w/.*<>@…-])(?:[\w-]+\/)*[\w-][\w.-]*\.(?:ts|mjs)\b/g;

function citedPaths(prose: string, { exists: found, endsSource }: Citable): readonly Found[] {
  const whole = [...prose.matchAll(PATH)].map(({ 0: matched, index }) => {
    const cited = matched.replace(/[.,…>]+$/, '');
    const pattern = cited.replaceAll(/<[^>]*>|\{[^},]*\}|…/g, '*').replace(/^(docs\/adr\/\d{4})$/, '$1-*');
    return { offset: index, cited, leadsSomewhere: found(pattern) };
  });
  const shortened = [...prose.matchAll(SOURCE)].map(({ 0: cited, index }) => ({
    offset: index,
    cited,
    leadsSomewhere: found(cited) || endsSource(cited),
  }));
  return [...whole, ...shortened.filter(({ offset }) => !whole.some((path) => path.offset === offset))];
}

/** Returns the documents that the code of a source names in its strings, such as the section of a metadata member. */
function documentsInStrings(text: string, comments: string, { exists: found }: Citable): readonly Found[] {
  return [...text.matchAll(/(?<![\w./@:~\\-])docs\/[\w./-]+\.md\b/g)]
    .filter(({ index }) => comments[index] === ' ')
    .map(({ 0: cited, index }) => ({ offset: index, cited, leadsSomewhere: found(cited) }));
}

const LINK = /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g;

function citedLinks(path: string, text: string, citable: Citable): readonly Found[] {
  return [...withoutFences(text).matchAll(LINK)]
    .filter(([, target = '']) => !/^[a-z]+:/i.test(target))
    .map(({ 1: target = '', index }) => ({
      offset: index,
      cited: target,
      leadsSomewhere: isTarget(path, target, citable),
    }));
}

function isTarget(path: string, target: string, citable: Citable): boolean {
  const [file = '', anchor] = target.split('#');
  const found = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file));
  if (found.startsWith('..') || !citable.exists(found)) return false;
  return anchor === undefined || !found.endsWith('.md') || citable.anchors(found).has(anchor);
}

function citedScripts(prose: string, { scripts }: Citable): readonly Found[] {
  return [...prose.matchAll(/\bnpm run (?:-\w+ )*(\w+(?:[:-]\w+)*)/g)].map(({ 1: script = '', index }) => ({
    offset: index,
    cited: `npm run ${script}`,
    leadsSomewhere: scripts.has(script),
  }));
}

/** The name of a document without a folder; with one it is a path or a link. */
function citedDocuments(text: string, { documents }: Citable): readonly Found[] {
  return [...text.matchAll(/(?<![\w/.*%-])[A-Za-z][\w-]+\.md\b/g)].map(({ 0: cited, index }) => ({
    offset: index,
    cited,
    leadsSomewhere: documents.has(cited),
  }));
}

/** Places that only the authors could see. */
const OUTSIDE =
  /\b(?:security|hostile-input) catalogue\b|\bprotocol-facts\b|\busers-want\b|\b[Ii]ssues? \d+\b(?!\.\d)|\.\.\/shared\//g;

function citedFromOutside(text: string): readonly Found[] {
  return [...text.matchAll(OUTSIDE)].map(({ 0: cited, index }) => ({
    offset: index,
    cited,
    leadsSomewhere: false,
  }));
}

/** Returns a Markdown text with the targets of its links blanked. */
function withoutTargets(markdown: string): string {
  return markdown.replaceAll(/\]\([^)\n]*\)/g, (found) => `]${' '.repeat(found.length - 1)}`);
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, (found) => found.replaceAll(/[^\n]/g, ' '));
}
