import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ownFiles } from '../own-files.ts';

/** One source file, as the laws see it. */
export interface Source {
  /** Below the repository's root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Without comments, and with empty string literals: what is left is code. */
  readonly code: string;
  /** Paths below the repository's root, or the names of packages. */
  readonly imports: readonly string[];
}

const root = dirname(dirname(import.meta.dirname));

const IMPORTS = [
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]/gm,
  /^\s*import\s+['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]/g,
  // The entry of a worker thread.
  /\bnew URL\(\s*['"](\.[^'"]+\.ts)['"]\s*,\s*import\.meta\.url/g,
];

/** A comment, a literal of a string, or one of a regular expression (which may hold quotes). */
const NO_CODE =
  /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[=(,:;!&|?{}[\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//g;

export function sourceOf(path: string, text: string): Source {
  const code = text.replace(NO_CODE, (found) => (/^(\/\/|\/\*)/.test(found) ? '' : "''"));
  const named = IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''));
  const imports = named.map((name) =>
    name.startsWith('.') ? posix.normalize(posix.join(posix.dirname(path), name)) : name,
  );
  return { path, text, code, imports };
}

/** Returns a source with everything but its comments blanked; each character keeps its place. */
export function commentsOf(text: string): string {
  let comments = '';
  let end = 0;
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, ' ');
  for (const { 0: found, index } of text.matchAll(NO_CODE)) {
    comments += blank(text.slice(end, index)) + (/^(\/\/|\/\*)/.test(found) ? found : blank(found));
    end = index + found.length;
  }
  return comments + blank(text.slice(end));
}

export function readSources(pattern: string): readonly Source[] {
  return ownFiles(root, pattern).map((path) => sourceOf(path, readFileSync(join(root, path), 'utf8')));
}

/** The program itself: what `entries` import, and what that imports. Tests and what only they import are not in it. */
export function programOf(sources: readonly Source[], ...entries: string[]): readonly Source[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<Source>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = byPath.get(path);
    if (source === undefined || reached.has(source)) continue;
    reached.add(source);
    waiting.push(...source.imports);
  }
  return [...reached];
}
