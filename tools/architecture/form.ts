import type { Law } from './law.ts';

const DEPTH_MAX = 4;
const LINES_MAX = 400;
const MADE = /^\/\/ Made from the API description by `npm run docs`; do not edit\.$/mu;
const EMPTY_WORDS = /(^|[/._-])(helpers?|utils?|common|shared|lib|misc)(?=[/._-]|$)/;

/** An await that belongs to no function: formatted code indents all the others. */
const LATE_AWAIT = /^(?:await\b|(?:const|let)\b[^\n]*= await\b|\} = await\b|for await\b).*/m;

/** How a file looks, whichever floor it is on. */
export const FORM_LAWS: readonly Law[] = [
  {
    name: `a file is at most ${DEPTH_MAX} names below src`,
    over: 'all',
    violations: ({ path }) => {
      const depth = path.split('/').length - 1;
      return depth > DEPTH_MAX ? [`is ${depth} deep`] : [];
    },
    broken: [['src/a/b/c/d/e.ts', '']],
    kept: [['src/a/b/c/d.ts', '']],
  },
  {
    name: 'no file or folder has a name that says nothing',
    over: 'all',
    violations: ({ path }) => (EMPTY_WORDS.test(path) ? ['is named after nothing in particular'] : []),
    broken: [
      'src/utils/a.ts',
      'src/keys/helpers.ts',
      'src/lib/a.ts',
      'src/keys/key-util.ts',
      'src/misc/a.ts',
    ].map((path) => [path, ''] as const),
    kept: [['src/spec/library-of-scopes.ts', '']],
  },
  {
    name: 'no barrels',
    over: 'all',
    violations: ({ path, text }) => [
      ...(/(^|\/)index\.ts$/.test(path) ? ['is an index.ts'] : []),
      ...(/^export \* from/m.test(text) ? ['passes on everything of another file'] : []),
    ],
    broken: [
      ['src/keys/index.ts', ''],
      ['src/keys/all.ts', "export * from './a.ts';"],
    ],
    kept: [['src/keys/key-index.ts', "import * as a from './a.ts';"]],
  },
  {
    name: 'no default exports',
    over: 'all',
    violations: ({ code }) =>
      /\bexport\s+default\b|\bas\s+default\b/.test(code) ? ['has a default export'] : [],
    broken: [
      ['src/keys/a.ts', 'export default 1;'],
      ['src/keys/b.ts', 'const b = 1;\nexport { b as default };'],
    ],
    kept: [['src/keys/a.ts', "// export default\nexport const a = 'export default';"]],
  },
  {
    name: 'no any',
    over: 'all',
    violations: ({ code }) =>
      [...code.matchAll(/(?:[:<|&,(]|\bas|\bextends|=>)\s*any\b(?=\s*[\])}>;,=|&[\n]|$)/gm)].map(
        ([found]) => `says ${found.trim()}`,
      ),
    broken: [
      ['src/keys/a.ts', 'export function a(b: any): void {}'],
      ['src/keys/b.ts', 'export const b = 1 as any;'],
      ['src/keys/c.ts', 'export const c: Record<string, any> = {};'],
      ['src/keys/d.ts', 'export type D = any[] | undefined;\nexport let e: any[];'],
    ],
    kept: [
      ['src/keys/a.ts', "// any\nexport const any = 1;\nexport const cors: 'any' = 'any';\nf({ any: 2 });"],
    ],
  },
  {
    name: `a file has at most ${LINES_MAX} lines`,
    over: 'all',
    violations: ({ text }) => {
      // A made file is as long as what it is made from.
      if (MADE.test(text)) return [];
      const lines = text.split('\n').length - 1;
      return lines > LINES_MAX ? [`has ${lines} lines`] : [];
    },
    broken: [['src/keys/a.ts', '\n'.repeat(LINES_MAX + 1)]],
    kept: [['src/keys/a.ts', '\n'.repeat(LINES_MAX)]],
  },
  {
    // With isolation none, node:test drops the rest of a file without a word when a later await rejects.
    name: 'a test file awaits at its top level only before its first test',
    over: 'all',
    violations: ({ path, text }) => {
      const first = path.endsWith('.test.ts') ? text.search(/^\s*(?:test|it|describe|suite)\(/m) : -1;
      const late = first < 0 ? null : LATE_AWAIT.exec(text.slice(first));
      return late === null ? [] : [`awaits after its first test: ${late[0]}`];
    },
    broken: [
      ['src/a/b.test.ts', "test('a', f);\nawait b();"],
      ['src/a/b.test.ts', 'for (const a of b) {\n  test(a, f);\n}\nconst { c } = await d();'],
      ['src/a/b.test.ts', "test('a', f);\nconst {\n  c,\n} = await d();"],
    ],
    kept: [
      ['src/a/b.test.ts', "const a = await b();\ntest('a', async () => {\n  await c();\n});"],
      ['src/testing/b.ts', "test('a', f);\nawait b();"],
    ],
  },
];
