import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandHere } from '../journeys/command-here.ts';
import type { Program } from '../program/start.ts';
import { administering, assertRefused, secondNode, tokenWith } from './admin-requests.ts';
import { type Answer, attackedProgram } from './attacked-program.ts';

/** Tenants that files declare, over the administration API of two nodes (docs/contract/hostile/declarations.md). */
let second: Program;
const attacked = attackedProgram({ environment: { CHANCERY_ADMIN_LISTENERS: 'both' } }, async (started) => {
  second = await secondNode(started);
});
after(async () => await second.stop());

type Members = Readonly<Record<string, unknown>>;

const HOST = 'https://op.example.com';
const DIGEST = 'd'.repeat(64);

const declared = (id: string, more: Members = {}): Members & { readonly id: string } => ({
  id,
  issuer: `${HOST}/${id}`,
  aliases: [],
  settings: {},
  ...more,
});

const creation = (id: string, more: Members = {}): Members => ({
  action: 'create',
  seen: null,
  ...declared(id, more),
});

interface Applied {
  readonly owner?: string;
  readonly bearer?: string;
  /** The text of the body instead. */
  readonly body?: string;
}

async function apply(
  steps: readonly Members[],
  { owner = 'platform', ...more }: Applied = {},
): Promise<Answer> {
  const { body, ...request } = more;
  const asked = administering(attacked, 'POST', '/declarations/tenants/apply', {
    json: { owner, steps },
    ...request,
    ...(body === undefined ? {} : { body }),
  });
  return await attacked.send(asked);
}

async function tenants(): Promise<readonly Members[]> {
  const { json } = await attacked.send(administering(attacked, 'GET', '/tenants?limit=200'));
  return json['items'] as readonly Members[];
}

const idsOf = (items: readonly Members[]): readonly unknown[] => items.map(({ id }) => id);

test('steps for the tenant of another owner change nothing, whatever they claim to have seen or adopted (H-554)', async () => {
  assert.equal((await apply([creation('theirs', { disabled: true })], { owner: 'theirs' })).status, 200);
  const there = (await tenants()).find(({ id }) => id === 'theirs');
  const claims: readonly Members[] = [
    { action: 'change', seen: 1, settings: { 'access-token.lifetime': 60 } },
    { action: 'change', seen: 1, adopted_from: 'platform' },
    { action: 'change', seen: 1, adopted_from: null },
    { action: 'change', seen: 2, adopted_from: 'theirs' },
    { action: 'create', seen: null },
    { action: 'delete', seen: 1 },
    { action: 'delete', seen: 1, adopted_from: null },
    { action: 'delete', seen: null },
  ];
  for (const claim of claims) {
    const beside = claim['action'] === 'delete' ? [] : [creation('beside')];
    const refused = await apply([...beside, { ...declared('theirs'), ...claim }]);
    assertRefused(refused, 409, 'conflict');
    assert.deepEqual(refused.json['errors'], [
      { pointer: 'theirs', detail: (refused.json['errors'] as readonly Members[])[0]?.['detail'] },
    ]);
  }
  const now = await tenants();
  assert.deepEqual(
    now.find(({ id }) => id === 'theirs'),
    there,
  );
  assert.ok(!idsOf(now).includes('beside'), 'the other step of the request is not applied either');
  const adopt = { ...declared('theirs'), action: 'change', seen: 1, adopted_from: 'theirs' };
  assert.equal(
    (await apply([adopt])).status,
    200,
    'an adoption that names the owner is for the holder of the scope',
  );
});

test('tenants with names of the prototype, settings of the process, too many at once, and the default tenant are refused (H-558)', async () => {
  const before = await tenants();
  const id = '__proto__';
  const wrong: readonly Members[] = [
    { ...creation('x'), id },
    { ...creation('x'), id: 'constructor.prototype' },
    { ...creation('x'), id: 'default' },
    creation('x', { settings: { constructor: 1 } }),
    creation('x', { settings: { toString: 1 } }),
    creation('x', { settings: { 'listen.port': 1, 'storage.url': 'sqlite:/etc/passwd' } }),
    creation('x', { settings: { 'federation.trust-anchors': [{ 'entity-id': 'x' }] } }),
    creation('x', { issuer: 'https://op.example.com' }),
    creation('x', { issuer: 'javascript:alert(1)' }),
    creation('x', { aliases: Array.from({ length: 101 }, (_, index) => `${HOST}/a${index}`) }),
  ];
  for (const step of wrong) {
    const refused = await apply([step]);
    assert.ok(refused.status === 400 || refused.status === 409, `${refused.status} ${refused.body}`);
  }
  const text = JSON.stringify({ owner: 'platform', steps: [creation('x', { settings: { KEY: true } })] });
  for (const key of ['__proto__', '__proto__.polluted']) {
    const refused = await apply([], { body: text.replace('KEY', key) });
    assertRefused(refused, 400, 'invalid_body');
    assert.match(refused.body, /__proto__[^"]* is not a setting/u);
  }
  const many = Array.from({ length: 101 }, (_, index) => creation(`m${index}`));
  assertRefused(await apply(many), 400, 'invalid_body');
  assert.equal(({} as Members)['polluted'], undefined);
  assert.deepEqual(idsOf(await tenants()), idsOf(before));
});

test('a file with a bomb of aliases in its tenants, or with a secret in clear, is refused by its line, and quoted nowhere (H-558)', async () => {
  const folder = join(attacked.program.folder, 'declared');
  mkdirSync(folder, { recursive: true });
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0 ? 'a0: &a0 [x]' : `a${level}: &a${level} [${`*a${level - 1},`.repeat(10)}]`,
  );
  const bomb = `chancery: 1\nowner: x\n${levels.join('\n')}\ntenants: {acme: {issuer: y, aliases: *a11}}\n`;
  const clear = `chancery: 1\nowner: x\ntenants: {acme: {issuer: y, settings: {admin.token-sha256: [${DIGEST}]}}}\n`;
  for (const [content, words] of [
    [bomb, /bad\.yaml:\d+: has more than 3000000 values/],
    [clear, /bad\.yaml:3: tenant "acme" has a value of admin\.token-sha256/],
  ] as const) {
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, content);
    const token = join(folder, 'token');
    writeFileSync(token, attacked.program.adminToken, { mode: 0o600 });
    const server = ['--server', attacked.program.managementUrl, '--token-file', token];
    const { code, out, err } = await commandHere(['apply', file, '--yes', ...server], {});
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, words);
    assert.ok(!err.includes(DIGEST));
  }
});

test('of twenty applies at once that change one tenant, one happens whole, and one name goes to one tenant (H-559)', async () => {
  assert.equal((await apply([creation('shared')])).status, 200);
  const nodes = [attacked.program.managementUrl, second.managementUrl];
  const send = async (steps: readonly Members[], at: number): Promise<number> => {
    const response = await fetch(`${nodes[at % 2] ?? ''}/admin/v1/declarations/tenants/apply`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${attacked.program.adminToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ owner: 'platform', steps }),
    });
    await response.text();
    return response.status;
  };
  const change = (lifetime: number): Members => ({
    ...declared('shared', { settings: { 'access-token.lifetime': lifetime } }),
    action: 'change',
    seen: 1,
  });
  const changes = Array.from({ length: 20 }, (_, at) => [creation(`race-${at}`), change(60 + at)]);
  const statuses = await Promise.all(changes.map(send));
  assert.deepEqual(
    [...statuses].toSorted((a, b) => a - b),
    [200, ...Array.from({ length: 19 }, () => 409)],
  );
  const winner = statuses.indexOf(200);
  const found = await tenants();
  assert.deepEqual(
    idsOf(found).filter((id) => String(id).startsWith('race-')),
    [`race-${winner}`],
  );
  const shared = found.find(({ id }) => id === 'shared');
  assert.deepEqual(shared?.['settings'], { 'access-token.lifetime': 60 + winner });
  const alias = `${HOST}/one-name`;
  const twins = await Promise.all(
    ['twin-a', 'twin-b'].map(async (id, at) => await send([creation(id, { aliases: [alias] })], at)),
  );
  // 409 if the other one was written meanwhile, and 400 if it stood there already.
  assert.deepEqual([twins.filter((status) => status === 200).length, twins.filter(isRefusal).length], [1, 1]);
  const winning = twins[0] === 200 ? 'twin-a' : 'twin-b';
  assert.deepEqual(
    idsOf(await tenants()).filter((id) => String(id).startsWith('twin-')),
    [winning],
  );
});

const isRefusal = (status: number): boolean => status === 400 || status === 409;

test('steps need the scope of everything that they touch, and a token of another tenant opens none of it (H-572)', async () => {
  const before = await tenants();
  const federation = creation('scoped', { settings: { 'federation.enabled': true } });
  const opens = (path: string): Members => creation('scoped', { settings: { [path]: [DIGEST] } });
  const cases: readonly (readonly [scope: string, steps: readonly Members[], missing: string])[] = [
    ['admin:tenants:read', [creation('scoped')], 'admin:tenants'],
    ['admin:tenants', [federation], 'admin:federation'],
    ['admin:tenants admin:federation', [federation, creation('other')], 'admin:all-tenants'],
    ['admin:tenants admin:all-tenants', [opens('registration.master-token-sha256')], 'admin:clients:write'],
    ['admin:tenants admin:clients:write', [opens('registration.master-token-sha256')], 'admin:all-tenants'],
    ['admin:tenants admin:all-tenants', [opens('admin.token-sha256')], 'admin:accounts'],
  ];
  for (const [scope, steps, missing] of cases) {
    const bearer = await tokenWith(attacked, scope);
    const refused = await apply(steps, { bearer });
    assertRefused(refused, 403, 'insufficient_scope');
    assert.match(refused.headers['www-authenticate'] ?? '', new RegExp(`scope="[^"]*${missing}[ "]`, 'u'));
    assert.ok(!refused.body.includes(DIGEST));
  }
  assert.deepEqual(idsOf(await tenants()), idsOf(before));
  const own = await tokenWith(attacked, 'admin:tenants');
  assert.equal(
    (await apply([creation('inner', { settings: { 'access-token.lifetime': 60 } })], { bearer: own })).status,
    200,
  );
  const elsewhere = await fetch(`${attacked.program.managementUrl}/admin/v1/declarations/tenants/apply`, {
    method: 'POST',
    headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json', 'tenant-id': 'inner' },
    body: JSON.stringify({ owner: 'platform', steps: [creation('foreign')] }),
  });
  assert.equal(elsewhere.status, 404, 'only the default tenant has the operations about tenants');
  const clients = await fetch(`${attacked.program.managementUrl}/admin/v1/declarations?owner=platform`, {
    headers: { authorization: `Bearer ${own}`, 'tenant-id': 'inner' },
  });
  assert.equal(clients.status, 401, 'a token of the default tenant without admin:all-tenants');
});
