import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFiles } from '../own-files.ts';
import type { Passage } from './prose-rules.ts';

/** Texts that are held to the same count. */
export interface ProseArea {
  readonly name: string;
  readonly passages: readonly Passage[];
}

const root = join(import.meta.dirname, '../..');

const PROGRAM = ['src/**/*.ts', 'bin/*.mjs'];
const TESTS = ['src/**/*.test.ts', 'src/testing/**/*.ts', 'test/**/*.ts'];
const WORKSHOP = ['tools/**/*.ts', 'bench/**/*.ts', 'examples/**/*.mjs', 'examples/**/*.js'];
const DOCUMENTS = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'test/**/*.md', 'bench/**/*.md'];
/** People see their values; the other languages are not English. */
const MESSAGES = 'src/pages/theme/messages/en.json';

/** Names the words it forbids, and its test does so too. */
const ABOUT_PROSE = /^tools\/prose\/|^docs\/adr\/0036/;

/** Reads every text that people see, by the area that its count belongs to. */
export function readProse(): readonly ProseArea[] {
  const tests = files(TESTS);
  const program = files(PROGRAM).filter((path) => !tests.includes(path));
  const workshop = files(WORKSHOP);
  return [
    { name: 'documents', passages: files(DOCUMENTS).map(documentPassage) },
    { name: 'pages', passages: messagePassages(MESSAGES) },
    { name: 'texts of the program', passages: program.flatMap((path) => literals(path, read(path))) },
    {
      name: 'names and texts of tests',
      passages: [...tests, ...workshop].flatMap((path) => literals(path, read(path))),
    },
    { name: 'comments of the program', passages: program.flatMap((path) => comments(path, read(path))) },
    {
      name: 'comments of tests and tools',
      passages: [...tests, ...workshop].flatMap((path) => comments(path, read(path))),
    },
  ];
}

function files(patterns: readonly string[]): readonly string[] {
  return ownFiles(root, ...patterns).filter((path) => !ABOUT_PROSE.test(path));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function documentPassage(path: string): Passage {
  return { path, line: 1, text: proseOfMarkdown(read(path)) };
}

/** Blanks what is not the author's English: code, addresses, HTML, block quotations, quoted words. Lines stay lines. */
export function proseOfMarkdown(markdown: string): string {
  const blank = (found: string): string => found.replaceAll(/[^\n]/g, ' ');
  return markdown
    .replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, blank)
    .replaceAll(/^\s*>.*$/gm, blank)
    .replaceAll(/`[^`\n]*`/g, (found) => `\`${' '.repeat(Math.max(0, found.length - 2))}\``)
    .replaceAll(/\]\([^)\s]*\)/g, (found) => `]${' '.repeat(found.length - 1)}`)
    .replaceAll(/<[^>\n]*>/g, blank)
    .replaceAll(/"[^"\n]*"|“[^”\n]*”/g, (found) => `"${' '.repeat(Math.max(0, found.length - 2))}"`);
}

function messagePassages(path: string): readonly Passage[] {
  return read(path)
    .split('\n')
    .flatMap((text, index) => {
      const value = /:\s*"((?:\\.|[^"\\])*)"/.exec(text)?.[1];
      return value === undefined ? [] : [{ path, line: index + 1, text: value }];
    });
}

const TOKEN =
  /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*(?:\n[ \t]*\/\/.*)*)|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[=(,:;!&|?{}[\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//gm;

/** A literal of fewer words names something, and says nothing. */
const WORDS_OF_A_TEXT = 3;

/** Returns the comments of a source. Adjacent line comments are one passage. */
export function comments(path: string, source: string): readonly Passage[] {
  return tokens(source)
    .filter(({ text }) => /^\s*\/[/*]/.test(text))
    .map(({ text, line }) => ({ path, line, text: proseOfComment(text) }));
}

/** Returns the string literals of a source that are sentences or parts of one. */
export function literals(path: string, source: string): readonly Passage[] {
  return tokens(source)
    .filter(({ text }) => /^['"`]/.test(text))
    .map(({ text, line }) => ({ path, line, text: proseOfLiteral(text) }))
    .filter(({ text }) => text.trim().split(/\s+/).length >= WORDS_OF_A_TEXT);
}

function tokens(source: string): readonly { readonly text: string; readonly line: number }[] {
  let line = 1;
  let counted = 0;
  return [...source.matchAll(TOKEN)].map(({ 0: text, index }) => {
    line += source.slice(counted, index).split('\n').length - 1;
    counted = index;
    return { text, line };
  });
}

function proseOfComment(comment: string): string {
  const text = comment
    .replaceAll(/^[ \t]*(?:\/\/|\/\*\*?|\*\/?)[ \t]?/gm, '')
    .replace(/\*\/\s*$/, '')
    .replaceAll(/@(?:param|returns?|throws|example|see)\b(?: \w+(?=\s))?/g, '\n\n');
  return proseOfMarkdown(text);
}

function proseOfLiteral(literal: string): string {
  return literal
    .slice(1, -1)
    .replaceAll(/\$\{[^}]*\}/g, '…')
    .replaceAll(/\\n/g, '\n')
    .replaceAll(/\\(.)/g, '$1');
}
