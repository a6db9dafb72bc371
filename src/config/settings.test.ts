import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { fromJSONSchema } from 'zod';
import { configurationSchema } from './configuration-schema.ts';
import { environmentName } from './environment.ts';
import { SETTING_PATHS, settingAt } from './settings.ts';

test('every path is kebab-case with at most one section', () => {
  const odd = SETTING_PATHS.filter((path) => !/^([a-z]+(-[a-z0-9]+)*\.)?[a-z]+(-[a-z0-9]+)*$/u.test(path));
  assert.ok(SETTING_PATHS.length > 30);
  assert.deepEqual(odd, []);
});

test('no two settings share an environment variable, nor a setting and a secret of another', () => {
  const names = SETTING_PATHS.flatMap((path) => {
    const name = environmentName(path);
    return settingAt(path).secret ? [name, `${name}_FILE`] : [name];
  });
  assert.equal(new Set(names).size, names.length);
  assert.ok(!names.includes('CHANCERY_CONFIG'));
});

for (const path of SETTING_PATHS) {
  const setting = settingAt(path);
  test(`${path} has words, a rule and a default that keeps to it`, () => {
    assert.match(setting.description, /^[A-Z].*\.$/u);
    assert.match(setting.rule, /^must be .*[^.]$/u);
    if (setting.default === undefined) assert.ok(setting.defaultWords !== undefined);
    else assert.deepEqual(setting.schema.parse(setting.default), setting.default);
  });
  test(`${path} refuses a value of another kind`, () => {
    for (const value of [null, {}, new Map(), [1], Symbol('x'), '']) {
      assert.equal(setting.schema.safeParse(value).success, false, inspect(value));
    }
  });
}

test('the JSON Schema accepts what the loader accepts and refuses unknown keys and bad values', () => {
  const schema = fromJSONSchema(configurationSchema());
  const good = {
    issuer: 'https://op.example.com',
    listen: { port: 1 },
    cors: { origins: ['https://a.example'] },
  };
  assert.equal(schema.safeParse(good).success, true);
  const bad = [
    { isuer: 'x' },
    { listen: { prot: 1 } },
    { listen: { port: 65_536 } },
    { log: { level: 'loud' } },
    { issuer: 1 },
  ];
  for (const value of bad) assert.equal(schema.safeParse(value).success, false, JSON.stringify(value));
});

test('the JSON Schema has a property for every setting', () => {
  const schema = configurationSchema() as {
    properties: Record<string, { properties?: Record<string, unknown> }>;
  };
  const paths = Object.entries(schema.properties).flatMap(([section, { properties }]) =>
    properties === undefined ? [section] : Object.keys(properties).map((name) => `${section}.${name}`),
  );
  assert.deepEqual(paths, SETTING_PATHS);
});
