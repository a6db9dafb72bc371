import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Declarations, readDeclarations } from './declarations.ts';

function read(...contents: readonly string[]): {
  readonly found: Declarations;
  readonly reports: readonly string[];
} {
  const reports: string[] = [];
  const files = contents.map((content, index) => ({ name: `f${index}.yaml`, content }));
  const found = readDeclarations(files, undefined, (line) => reports.push(line));
  return { found, reports };
}

const HEAD = 'chancery: 1\nowner: shop\n';

test('declarations: documents of several files make one group for each tenant and owner, in a fixed order', () => {
  const first = `${HEAD}clients: {b: {}, a: {client_name: A}}\n---\nchancery: 1\nowner: bank\ntenant: acme\nclients: {z: }\n`;
  const second = `{"chancery":1,"owner":"shop","clients":{"0":{}}}`;
  const { found, reports } = read(first, second);
  assert.deepEqual(reports, []);
  assert.deepEqual(
    found.groups.map(({ tenant, owner, clients }) => [tenant, owner, clients.map((one) => one.client_id)]),
    [
      ['acme', 'bank', ['z']],
      ['default', 'shop', ['0', 'a', 'b']],
    ],
  );
  assert.deepEqual(
    read(second, first)
      .found.groups.at(-1)
      ?.clients.map((one) => one.client_id),
    ['0', 'a', 'b'],
  );
});

test('declarations: a client has the defaults of its document unless it has the member itself', () => {
  const { found } = read(`${HEAD}defaults: {scope: a, contacts: [x]}\nclients: {one: {scope: b}, two: }`);
  assert.deepEqual(
    found.groups[0]?.clients.map(({ metadata }) => metadata),
    ['{"scope":"b","contacts":["x"]}', '{"scope":"a","contacts":["x"]}'],
  );
});

test('declarations: a tenant has its settings by path, those of its federation by name, and secret ones by reference', () => {
  const { found, reports } = read(
    `${HEAD}tenants:
  acme:
    issuer: https://op.example/acme
    settings: {access-token.lifetime: 5m, keys.jwk-set: {env: ACME_KEYS}, registration.master-token-sha256: }
    federation: {authority-hints: [https://ta.example]}
  zero: {issuer: https://op.example/zero, aliases: [https://zero.example], disabled: true}`,
  );
  assert.deepEqual(reports, []);
  assert.deepEqual(found.groups, []);
  const [group] = found.tenants;
  assert.equal(group?.owner, 'shop');
  assert.deepEqual(
    group?.tenants.map((tenant) => ({ ...tenant, place: '' })),
    [
      {
        id: 'acme',
        issuer: 'https://op.example/acme',
        aliases: [],
        settings: {
          'access-token.lifetime': '5m',
          'registration.master-token-sha256': null,
          'federation.authority-hints': ['https://ta.example'],
        },
        secrets: { 'keys.jwk-set': { kind: 'env', name: 'ACME_KEYS' } },
        place: '',
      },
      {
        id: 'zero',
        issuer: 'https://op.example/zero',
        aliases: ['https://zero.example'],
        disabled: true,
        settings: {},
        secrets: {},
        place: '',
      },
    ],
  );
});

test('declarations: a secret is a reference, and members of an answer that are no metadata stay out', () => {
  const { found, reports } = read(`${HEAD}clients:
  a: {client_id: a, client_id_issued_at: 1, registration_access_token: t0ken, client_secret: {env: A_SECRET}}
  b: {client_secret: {file: b.secret}}`);
  assert.deepEqual(reports, []);
  assert.deepEqual(
    found.groups[0]?.clients.map(({ metadata, secret }) => [metadata, secret]),
    [
      ['{}', { kind: 'env', name: 'A_SECRET' }],
      ['{}', { kind: 'file', name: 'b.secret' }],
    ],
  );
});

test('declarations: keys of the prototype are ordinary names of clients and members (H-562)', () => {
  const { found, reports } = read(
    `${HEAD}clients:\n  __proto__: {client_name: A}\n  constructor: {__proto__: {scope: a}}\n`,
  );
  assert.deepEqual(reports, []);
  assert.deepEqual(
    found.groups[0]?.clients.map(({ client_id, metadata }) => [client_id, metadata]),
    [
      ['__proto__', '{"client_name":"A"}'],
      ['constructor', '{"__proto__":{"scope":"a"}}'],
    ],
  );
});

const SECRET = 'this-is-a-secret-0123456789-0123456789';
const WRONG: readonly (readonly [what: string, content: string, because: RegExp])[] = [
  ['no version', 'owner: shop\nclients: {}', /:1: a document must have `chancery: 1`/],
  ['another version', 'chancery: 2', /must have `chancery: 1`/],
  ['a list', '- a', /must be a map/],
  ['an unknown member', `${HEAD}client: {}`, /unknown member "client"; did you mean clients\?/],
  ['no owner', 'chancery: 1\nclients: {a: {}}', /owner must name/],
  ['an owner with a capital', 'chancery: 1\nowner: Shop\nclients: {a: {}}', /owner must name/],
  ['an owner with a line break', 'chancery: 1\nowner: "shop\\nbank"\nclients: {}', /owner must name/],
  ['a list of clients', `${HEAD}clients: [{client_id: a}]`, /clients must be a map/],
  ['a client that is text', `${HEAD}clients: {a: b}`, /client "a" must be a map/],
  ['another client_id', `${HEAD}clients: {a: {client_id: b}}`, /no other client_id/],
  [
    'a preferred secret',
    `${HEAD}clients: {a: {preferred_client_secret: ${SECRET}}}`,
    /must not have preferred_client_secret/,
  ],
  ['a secret in clear', `${HEAD}clients: {a: {client_secret: ${SECRET}}}`, /neither \{file: NAME\} nor/],
  ['a secret of two sources', `${HEAD}clients: {a: {client_secret: {file: a, env: b}}}`, /neither/],
  [
    'one client in two documents',
    `${HEAD}clients: {a: {}}\n---\nchancery: 1\nowner: bank\nclients: {a: {}}`,
    /f0.yaml:7: client "a" is declared in f0.yaml:3 already/,
  ],
  ['tenants without an owner', 'chancery: 1\ntenants: {}', /owner must name/],
  ['a list of tenants', `${HEAD}tenants: [acme]`, /tenants must be a map/],
  ['a tenant without an issuer', `${HEAD}tenants: {acme: {}}`, /:3: tenant "acme" has no issuer/],
  [
    'the default tenant',
    `${HEAD}tenants: {default: {issuer: "https://op.example"}}`,
    /is the default tenant: its settings are those of the configuration file/,
  ],
  [
    'an unknown member of a tenant',
    `${HEAD}tenants: {acme: {issuer: x, alias: []}}`,
    /unknown member "alias"; did you mean aliases\?/,
  ],
  [
    'aliases that are no list',
    `${HEAD}tenants: {acme: {issuer: x, aliases: y}}`,
    /aliases that are not a list/,
  ],
  [
    'a member disabled that is text',
    `${HEAD}tenants: {acme: {issuer: x, disabled: "no"}}`,
    /neither true nor false/,
  ],
  ['settings that are a list', `${HEAD}tenants: {acme: {issuer: x, settings: [a]}}`, /not a map of settings/],
  [
    'a secret setting in clear',
    `${HEAD}tenants: {acme: {issuer: x, settings: {keys.jwk-set: ${SECRET}}}}`,
    /a value of keys.jwk-set that is neither \{file: NAME\} nor \{env: NAME\}/,
  ],
  [
    'a setting of a federation twice',
    `${HEAD}tenants: {acme: {issuer: x, settings: {federation.enabled: true}, federation: {enabled: true}}}`,
    /federation.enabled in settings and in federation/,
  ],
  [
    'one tenant in two documents',
    `${HEAD}tenants: {acme: {issuer: x}}\n---\nchancery: 1\nowner: bank\ntenants: {acme: {issuer: x}}`,
    /f0.yaml:7: tenant "acme" is declared in f0.yaml:3 already/,
  ],
];

for (const [what, content, because] of WRONG) {
  test(`declarations with ${what} are refused with file and line, and no report holds a secret`, () => {
    const { reports } = read(content);
    assert.match(reports.join('\n'), because);
    assert.doesNotMatch(reports.join('\n'), new RegExp(SECRET, 'u'));
  });
}
