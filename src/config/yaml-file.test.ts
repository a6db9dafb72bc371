import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SettingsProblem } from './settings-error.ts';
import { parseYaml } from './yaml-file.ts';

function read(yaml: string) {
  const problems: SettingsProblem[] = [];
  const values = parseYaml(yaml, 'chancery.yaml', problems);
  return {
    values: Object.fromEntries([...values].map(([path, { value }]) => [path, value])),
    problems: problems.map(({ path, rule }) => `${path}: ${rule}`),
  };
}

test('sections are maps, and values keep the types of the core schema (YAML 1.2 §10.3)', () => {
  const yaml = `
issuer: https://op.example.com
listen: { port: 8443, host: "0.0.0.0" }
registration:
  allow-open-registration: true
  open-scope-values: [openid, email]
log:
  level: !!str info
`;
  assert.deepEqual(read(yaml), {
    values: {
      issuer: 'https://op.example.com',
      'listen.port': 8443,
      'listen.host': '0.0.0.0',
      'registration.allow-open-registration': true,
      'registration.open-scope-values': ['openid', 'email'],
      'log.level': 'info',
    },
    problems: [],
  });
});

test('an empty file, comments only, and a section whose settings are all commented out give nothing', () => {
  for (const yaml of ['', '# nothing\n', '---\n', 'listen:\n#  port: 1\n']) {
    assert.deepEqual(read(yaml), { values: {}, problems: [] }, yaml);
  }
});

test('yes and no are texts, not booleans, as in YAML 1.2, whatever version the file claims', () => {
  for (const directive of ['', '%YAML 1.1\n---\n', '%YAML 1.2\n---\n']) {
    assert.deepEqual(read(`${directive}registration: { allow-open-registration: yes }`).values, {
      'registration.allow-open-registration': 'yes',
    });
  }
});

const PROBLEMS: readonly (readonly [what: string, yaml: string, problems: readonly string[]])[] = [
  ['a key given twice', 'issuer: a\nissuer: b\n', ['issuer: is given twice, again at line 2']],
  [
    'a key given twice in a section',
    'listen:\n  port: 1\n  port: 2\n',
    ['listen.port: is given twice, again at line 3'],
  ],
  ['a section given twice', 'log:\nlog: {level: info}\n', ['log: is given twice, again at line 2']],
  ['an unknown key', 'friends: []', ['friends: is not a setting (line 1)']],
  [
    'a mistyped key',
    'listen:\n  prot: 1',
    ['listen.prot: is not a setting (line 2); did you mean listen.port?'],
  ],
  ['a mistyped section', 'lisetn: {port: 1}', ['lisetn: is not a setting (line 1); did you mean listen?']],
  [
    'underscores',
    'registration: {client_id_length: 30}',
    ['registration.client_id_length: is not a setting (line 1); did you mean registration.client-id-length?'],
  ],
  [
    'a setting outside its section',
    'allow-open-registration: true',
    [
      'allow-open-registration: is not a setting (line 1); did you mean registration.allow-open-registration?',
    ],
  ],
  [
    'a path with a dot',
    'listen.port: 1',
    ['listen.port: is not a setting (line 1); nest it: listen: { port: … }'],
  ],
  [
    'a key deeper than any setting',
    'listen: {port: {number: 1}}',
    [], // The value is a map, which the setting's schema refuses.
  ],
  [
    'a merge key',
    'a: &a {level: info}\nlog:\n  <<: *a\n',
    ['a: is not a setting (line 1)', 'log.<<: is not a setting (line 3)'],
  ],
  [
    'a prototype',
    '__proto__: {listen: 1}\nconstructor: 1\n',
    ['__proto__: is not a setting (line 1)', 'constructor: is not a setting (line 2)'],
  ],
  ['a key that is a list', '[1, 2]: 3', ['a key that is not text: is not a setting (line 1)']],
  ['a section that is a text', 'listen: 8080', ['listen: must be a map of settings']],
  ['a list instead of a map', '- issuer', ['configuration file: must be a map of settings']],
  ['a text instead of a map', 'issuer', ['configuration file: must be a map of settings']],
  [
    'an alias of nothing',
    'issuer: *nobody',
    ['issuer: uses aliases that cannot be resolved or stand for more than 100 nodes'],
  ],
  ['an alias of no section', 'listen: *nobody', ['listen: must be a map of settings']],
  [
    'a second document',
    'issuer: a\n---\nissuer: b\n',
    ['configuration file: is not plain YAML at line 2: multiple docs'],
  ],
  [
    'a custom tag',
    'log: {level: !secret info}',
    ['configuration file: is not plain YAML at line 1: tag resolve failed'],
  ],
  [
    'a tag of YAML 1.1',
    'log: {level: !!binary aW5mbw==}',
    ['configuration file: is not plain YAML at line 1: tag resolve failed'],
  ],
  [
    'a tab as indentation',
    'listen:\n\tport: 1\n',
    ['configuration file: is not plain YAML at line 2: tab as indent'],
  ],
];

for (const [what, yaml, problems] of PROBLEMS) {
  test(`${what} is reported with its path and line: ${JSON.stringify(yaml)}`, () => {
    assert.deepEqual(read(yaml).problems, problems);
  });
}

test('a text that breaks off is reported without a word of what it holds', () => {
  const { problems } = read('encryption: { key: "hunter2-and-more\n');
  assert.ok(problems.length > 0);
  assert.ok(!problems.join().includes('hunter2'), problems.join());
});

test('aliases may repeat a value, but not expand without bound', () => {
  const twice = read('issuer: &a x\nlog: {level: *a}');
  assert.deepEqual(twice, { values: { issuer: 'x', 'log.level': 'x' }, problems: [] });
  const laughs = Array.from({ length: 9 }, (_, n) => `  - &l${n + 1} [${`*l${n},`.repeat(9)}]`).join('\n');
  const { values, problems } = read(`cors:\n origins:\n  - &l0 [x,x]\n${laughs}\n`);
  assert.deepEqual(values, {});
  assert.deepEqual(problems, [
    'cors.origins: uses aliases that cannot be resolved or stand for more than 100 nodes',
  ]);
});
