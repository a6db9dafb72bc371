import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALLOWED } from './prose-allowed.ts';
import { findingsIn } from './prose-rules.ts';
import { comments, literals, proseOfMarkdown, readProse } from './prose-sources.ts';

const areas = readProse();

test('the prose check saw the documents, pages, texts and comments: a check over nothing would pass', () => {
  const seen = Object.fromEntries(areas.map(({ name, passages }) => [name, passages.length]));
  assert.deepEqual(Object.keys(seen).sort(), Object.keys(ALLOWED).sort());
  for (const [name, least] of Object.entries({ documents: 40, pages: 40, 'comments of the program': 1500 })) {
    assert.ok((seen[name] ?? 0) >= least, `${name}: ${seen[name]} passages`);
  }
});

for (const { name, passages } of areas) {
  test(`${name} break the rules of plain English no more often than before (docs/adr/0036)`, () => {
    const found = passages.flatMap(findingsIn);
    const allowed = ALLOWED[name] ?? 0;
    assert.ok(
      found.length <= allowed,
      `${found.length} findings, ${allowed} allowed. See them with: npm run prose -- "${name}"`,
    );
  });
}

function problems(text: string): readonly string[] {
  return findingsIn({ path: 'a.md', line: 1, text }).map(
    ({ line, problem }) => `${line} ${problem.split(':')[0]}`,
  );
}

test('avoided words are found, in any case and on their line; words that contain them are not', () => {
  assert.deepEqual(problems('A good line.\nWhoever asks, asks.'), ['2 avoid "whoever"']);
  assert.deepEqual(problems('It tells nobody. It\nstands by itself.'), [
    '1 avoid "nobody"',
    '2 avoid "by itself"',
  ]);
  assert.deepEqual(problems('Nobodys whomsoever.'), []);
});

test('sentences that begin with Of, What or Who are found; questions and such words inside a sentence are not', () => {
  assert.deepEqual(problems('Fine. Of two requests one wins.'), ['1 begins with "Of"']);
  assert.deepEqual(problems('- What a tenant has once.'), ['1 begins with "What" and asks nothing']);
  assert.deepEqual(problems('| a | Who asks for it |'), ['1 begins with "Who" and asks nothing']);
  assert.deepEqual(problems('What is a tenant? It tells of what it saw, and who asked.'), []);
});

test('code, addresses and quotations are not the author’s English', () => {
  const markdown = 'The `nobody` user.\n\n```\nwhoever\n```\n> whom\n[a](docs/whom.md) says "nobody".';
  assert.deepEqual(problems(proseOfMarkdown(markdown)), []);
  assert.deepEqual(problems(proseOfMarkdown('The user is nobody.')), ['1 avoid "nobody"']);
});

test('comments and texts are told from code, with their lines', () => {
  const source =
    "const nobody = 1;\n/**\n * Of two,\n * whoever.\n */\n// One\n// more.\nconst a = 'to whom it is';\nconst b = 'whom';\n";
  const found = comments('a.ts', source);
  assert.deepEqual(
    found.map(({ line }) => line),
    [2, 6],
  );
  assert.deepEqual(
    found.flatMap(findingsIn).map(({ line }) => line),
    [4, 3, 6],
  );
  assert.deepEqual(
    literals('a.ts', source).map(({ line, text }) => [line, text]),
    [[8, 'to whom it is']],
  );
});
