import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantId } from '../../src/spec/identifiers.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { jsonOf } from './command-here.ts';
import { commandPlaces } from './command-places.ts';

const ISSUER = 'https://op.example.com';
const DIGEST = 'c'.repeat(64);
const folder = mkdtempSync(join(tmpdir(), 'chancery-plan-tenants-'));
let program: Program;

before(async () => {
  mkdirSync(join(folder, 'files'));
  program = await startProgram({ folder });
});

after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

const { onDatabase, overHttp } = commandPlaces(folder, () => program, {
  words: [],
  environment: { CHANCERY_ISSUER: ISSUER },
});

function file(name: string, content: string): string {
  const path = join(folder, 'files', name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const ANCHOR = `{entity-id: "https://ta.example", jwks: {keys: [{kty: EC, crv: P-256, kid: a, alg: ES256,
          x: MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4, y: 4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM}]}}`;

/** A tenant with a federation, and a client of it. */
const declarations = (id: string, owner: string): string => `chancery: 1
owner: ${owner}
tenants:
  ${id}:
    issuer: ${ISSUER}/${id}
    settings:
      access-token.lifetime: 5m
      registration.master-token-sha256: {file: master}
    federation:
      enabled: true
      authority-hints: ["https://ta.example"]
      trust-anchors:
        - ${ANCHOR}
---
chancery: 1
owner: ${owner}
tenant: ${id}
clients:
  job: {grant_types: [client_credentials], client_name: Job}
`;

/** Asks the running server for the entity configuration of a tenant. */
async function entityStatus(tenant: string): Promise<number> {
  const headers = { 'tenant-id': tenant };
  return (await fetch(`${program.url}/.well-known/openid-federation`, { headers })).status;
}

for (const [where, ask, id] of [
  ['on a database', onDatabase, 'acme'],
  ['over HTTP', overHttp, 'remote'],
] as const) {
  const owner = `team-${id}`;

  test(`plan and apply ${where} make a tenant with its federation and its clients, and then nothing differs`, async () => {
    file('master', `ops:${DIGEST}`);
    const files = file(`${id}.yaml`, declarations(id, owner));
    const planned = await ask('plan', files);
    assert.equal(planned.code, 2, planned.err);
    assert.match(planned.out, new RegExp(`^ {2}\\+ tenant ${id} \\(owner ${owner}\\)$`, 'mu'));
    assert.match(
      planned.out,
      /^ {6}\+ settings\.federation\.authority-hints: \["https:\/\/ta\.example"\]$/mu,
    );
    assert.match(
      planned.out,
      /^ {6}\+ settings\.registration\.master-token-sha256: the value that the file names$/mu,
    );
    assert.match(planned.out, new RegExp(`^ {2}\\+ client job \\(owner ${owner}, tenant ${id}\\)$`, 'mu'));
    assert.match(planned.out, /^Plan: 2 to create/mu);
    const storage = await openProgramStorage(folder);
    assert.deepEqual(
      await storage.forTenant(id as TenantId).serverKeys.all(),
      [],
      'a plan makes no keys of a tenant that it would create',
    );
    await storage.close();
    const applied = await ask('apply', files, '--yes');
    assert.deepEqual([applied.code, /^2 changes applied$/mu.test(applied.out)], [0, true], applied.err);
    assert.deepEqual(await ask('plan', files), {
      code: 0,
      out: 'No changes: everything is as declared (clients and tenants: 2).',
      err: '',
    });
    for (const { out, err } of [planned, applied]) assert.ok(!`${out}${err}`.includes(DIGEST));
    // A server without tenants looks for the first one at intervals.
    while ((await entityStatus(id)) !== 200) await sleep(50);
    assert.match((await ask('clients', 'show', 'job', '--tenant', id)).out, /Job/);
  });

  test(`plan ${where} ends with 2 after a change by hand, apply brings the declaration back and keeps the secret setting`, async () => {
    const files = join(folder, 'files', `${id}.yaml`);
    await ask(
      'tenants',
      'update',
      id,
      '--set',
      'access-token.lifetime=900',
      '--unset',
      'federation.authority-hints',
    );
    const unmentioned = file(
      `${id}-bare.yaml`,
      readFileSync(files, 'utf8').replace(/^ *registration\.master.*\n/mu, ''),
    );
    const drift = await ask('plan', unmentioned);
    assert.equal(drift.code, 2, drift.err);
    assert.match(drift.out, /^ {6}~ settings\.access-token\.lifetime: 900 → 300$/mu);
    assert.match(drift.out, /^ {6}\+ settings\.federation\.authority-hints:/mu);
    assert.ok(!drift.out.includes('master-token'), 'a secret setting that is not declared stays');
    assert.equal((await ask('apply', unmentioned, '--yes')).code, 0);
    const tenants = await jsonOf(ask, 'tenants', 'list');
    const found = tenants.find((one) => one['id'] === id);
    assert.deepEqual(
      [
        found?.['owner'],
        JSON.stringify(found?.['settings']).includes('"registration.master-token-sha256":"******"'),
      ],
      [owner, true],
    );
    assert.equal((await ask('plan', files)).code, 0, 'the present value is the one that the file names');
  });

  test(`apply --prune ${where} deletes a tenant that is disabled and whose id is repeated, and no other`, async () => {
    const none = file(`${id}-none.yaml`, `chancery: 1\nowner: ${owner}\ntenants: {}\n`);
    const live = await ask('plan', none, '--prune');
    assert.deepEqual([live.code, live.out], [1, '']);
    assert.match(
      live.err,
      new RegExp(`tenant "${id}": belongs to ${owner}.*in service: declare it with`, 'u'),
    );
    await ask('tenants', 'disable', id);
    const stored = join(folder, `${id}.plan`);
    const planned = await ask('plan', none, '--prune', '--out', stored);
    assert.equal(planned.code, 2);
    assert.match(
      planned.out,
      new RegExp(`^ {2}- tenant ${id} \\(owner ${owner}, with all its data\\)$`, 'mu'),
    );
    for (const words of [[], ['--delete-tenant', 'another']]) {
      const refused = await ask('apply', stored, ...words);
      assert.equal(refused.code, 1);
      assert.match(
        refused.err,
        new RegExp(`nothing was applied.*Confirm it with --delete-tenant ${id}`, 'u'),
      );
    }
    assert.equal((await ask('apply', stored, '--delete-tenant', id)).code, 0);
    const left = await jsonOf(ask, 'tenants', 'list');
    assert.ok(!left.some((one) => one['id'] === id && one['state'] !== 'deleting'));
    const again = await ask('apply', stored, '--delete-tenant', id);
    assert.match(again.out, /^0 changes applied, 1 were there already$/mu);
  });
}

test('plan ends with 1 for the default tenant, and for mistakes in a new tenant and in its clients', async () => {
  const ownDefault = file(
    'default.yaml',
    `chancery: 1\nowner: x\ntenants: {default: {issuer: "${ISSUER}"}}\n`,
  );
  assert.match(
    (await onDatabase('plan', ownDefault)).err,
    /is the default tenant: its settings are those of the/,
  );
  const wrong = file(
    'wrong.yaml',
    `chancery: 1\nowner: x\ntenants: {new: {issuer: "${ISSUER}/new", federation: {enabld: true}}}\n---\nchancery: 1\nowner: x\ntenant: new\nclients: {a: {redirect_uris: [javascript:x]}}\n`,
  );
  const refused = await onDatabase('plan', wrong);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /wrong\.yaml:3: tenant "new": settings\.federation\.enabld is not a setting/);
  const client = file('client.yaml', readFileSync(wrong, 'utf8').replace('enabld', 'enabled'));
  const checked = await onDatabase('plan', client);
  assert.match(
    checked.err,
    /client\.yaml:8: client "a": redirect_uris\[0\]/,
    'with the settings that the tenant would have',
  );
});
