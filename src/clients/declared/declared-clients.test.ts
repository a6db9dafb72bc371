import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { OPERATOR_PRIVILEGES } from '../../spec/registration-privileges.ts';
import {
  CALLBACK,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';
import type { Registrant } from '../registration/registration-authority.ts';
import { type ApplyOptions, applyClients, type StepConflict } from './apply-clients.ts';
import type { DeclaredClient } from './declared-client.ts';
import { type ClientPlan, type PlanOptions, planClients, planPrune } from './plan-clients.ts';

const REGISTRANT: Registrant = { kind: 'master', name: 'cli', privileges: OPERATOR_PRIVILEGES };
const OPTIONS: PlanOptions = {
  owner: 'shop',
  registrant: REGISTRANT,
  adopts: () => false,
  replaces: () => false,
};
const SECRET = 's'.repeat(43);
const OTHER_SECRET = 't'.repeat(43);

type Files = Readonly<
  Record<string, { readonly client_secret?: string; readonly [member: string]: unknown }>
>;

function declared(files: Files): readonly DeclaredClient[] {
  return Object.entries(files).map(([client_id, { client_secret, ...metadata }]) => ({
    client_id: client_id as ClientId,
    metadata: JSON.stringify(metadata),
    ...(client_secret === undefined ? {} : { client_secret }),
  }));
}

async function plan(
  tenant: TestTenant,
  files: Files,
  options: Partial<PlanOptions> = {},
): Promise<ClientPlan> {
  return await planClients(await tenant.registry(), declared(files), { ...OPTIONS, ...options });
}

const applying = (owner = 'shop'): ApplyOptions => ({
  owner,
  registrant: REGISTRANT,
  event: (members) => ({ ...members, at: START, outcome: 'done', request_id: 'test', actor: 'cli' }),
});

async function apply(
  tenant: TestTenant,
  files: Files,
  { steps }: Pick<ClientPlan, 'steps'>,
): Promise<readonly StepConflict[]> {
  const known = new Map<string, DeclaredClient>(declared(files).map((one) => [one.client_id, one]));
  const applicable = steps.map((step) => {
    const declaration = known.get(step.client_id);
    return declaration === undefined ? { step } : { step, declared: declaration };
  });
  return await applyClients(await tenant.registry(), applicable, applying());
}

async function planAndApply(
  tenant: TestTenant,
  files: Files,
  options: Partial<PlanOptions> = {},
): Promise<ClientPlan> {
  const planned = await plan(tenant, files, options);
  assert.deepEqual(planned.problems, []);
  assert.deepEqual(await apply(tenant, files, planned), []);
  return planned;
}

async function stored(tenant: TestTenant, id: string): Promise<StoredClient> {
  const client = await (await tenant.registry()).clients.find(id as ClientId);
  assert.ok(client !== undefined);
  return client;
}

async function tokenStatus(tenant: TestTenant, id: string, secret: string): Promise<number> {
  const form = { grant_type: 'client_credentials' };
  return (await tenant.send('token', { basic: [id, secret], form })).status;
}

test('a plan creates what is not there, an apply does it with the given secret, and the next plan is empty', async () => {
  const tenant = testTenant();
  const files = {
    web: { ...WEB_CLIENT, client_name: 'Shop' },
    job: { ...SERVICE, client_secret: SECRET, data: { team: 'a' } },
  };
  const planned = await planAndApply(tenant, files);
  assert.deepEqual(
    planned.steps.map(({ action, client_id, seen, secret }) => [action, client_id, seen, secret]),
    [
      ['create', 'web', null, 'generated'],
      ['create', 'job', null, 'given'],
    ],
  );
  assert.ok(planned.steps[0]?.changes.some(({ path, after }) => path === '/client_name' && after === 'Shop'));
  assert.equal(await tokenStatus(tenant, 'job', SECRET), 200);
  const client = await stored(tenant, 'job');
  assert.deepEqual([client.owner, client.registered_via, client.data], ['shop', 'cli', '{"team":"a"}']);
  assert.deepEqual(await plan(tenant, files), { steps: [], problems: [], dropped: [] });
});

test('members that the server fills in are no drift, in the file or in the registry', async () => {
  const tenant = testTenant();
  await planAndApply(tenant, { job: SERVICE });
  const whole = JSON.parse((await stored(tenant, 'job')).metadata) as Record<string, unknown>;
  assert.deepEqual((await plan(tenant, { job: whole })).steps, []);
  const registry = await tenant.registry();
  const older = await stored(tenant, 'job');
  const { application_type: _, ...fewer } = JSON.parse(older.metadata) as Record<string, unknown>;
  await registry.clients.replace({ ...older, version: 2, metadata: JSON.stringify(fewer) }, 1);
  assert.deepEqual((await plan(tenant, { job: SERVICE })).steps, []);
});

test('an apply changes the members of the file, removes those that it lacks, and keeps secret and registration token', async () => {
  const tenant = testTenant();
  const before = { ...SERVICE, client_name: 'A', contacts: ['a@client.example'], scope: 'a' };
  await planAndApply(tenant, { job: { ...before, client_secret: SECRET } });
  const old = await stored(tenant, 'job');
  const { contacts: _, ...after } = { ...before, client_name: 'B' };
  const planned = await planAndApply(tenant, { job: after });
  assert.deepEqual(planned.steps, [
    {
      action: 'change',
      client_id: 'job',
      seen: { instance: old.instance, version: 1 },
      changes: [
        { path: '/client_name', before: 'A', after: 'B' },
        { path: '/contacts', before: ['a@client.example'] },
      ],
      secret: 'kept',
    },
  ]);
  const changed = await stored(tenant, 'job');
  assert.deepEqual(
    [changed.secrets, changed.registration_token_digest, changed.version],
    [old.secrets, old.registration_token_digest, 2],
  );
  assert.equal(await tokenStatus(tenant, 'job', SECRET), 200);
});

test('a secret changes if the file names another one, and the old one lives for registration.previous-secret-grace', async () => {
  const tenant = testTenant({ settings: { 'registration.previous-secret-grace': 60 } });
  await planAndApply(tenant, { job: { ...SERVICE, client_secret: SECRET } });
  assert.deepEqual((await plan(tenant, { job: { ...SERVICE, client_secret: SECRET } })).steps, []);
  const planned = await planAndApply(tenant, { job: { ...SERVICE, client_secret: OTHER_SECRET } });
  assert.deepEqual(
    planned.steps.map(({ secret, changes }) => [secret, changes]),
    [['given', []]],
  );
  assert.doesNotMatch(JSON.stringify(planned), new RegExp(`${SECRET}|${OTHER_SECRET}`, 'u'));
  assert.equal(await tokenStatus(tenant, 'job', OTHER_SECRET), 200);
  assert.equal(await tokenStatus(tenant, 'job', SECRET), 200);
  tenant.clock.advance(60);
  assert.equal(await tokenStatus(tenant, 'job', SECRET), 401);
});

test('a plan says that a client loses or gets a secret with its method', async () => {
  const tenant = testTenant();
  await planAndApply(tenant, { web: WEB_CLIENT });
  const open = { ...WEB_CLIENT, token_endpoint_auth_method: 'none' };
  assert.equal((await planAndApply(tenant, { web: open })).steps[0]?.secret, 'removed');
  assert.deepEqual((await stored(tenant, 'web')).secrets, []);
  assert.equal((await planAndApply(tenant, { web: WEB_CLIENT })).steps[0]?.secret, 'generated');
  const { problems } = await plan(tenant, { web: { ...open, client_secret: SECRET } });
  assert.match(problems[0]?.words ?? '', /a client with none has no secret/);
});

test('a secret that is too short for its new method is a problem, not a new secret', async () => {
  const tenant = testTenant();
  await planAndApply(tenant, { job: { ...SERVICE, client_secret: SECRET } });
  const job = {
    ...SERVICE,
    token_endpoint_auth_method: 'client_secret_jwt',
    token_endpoint_auth_signing_alg: 'HS512',
  };
  const { problems, steps } = await plan(tenant, { job });
  assert.deepEqual(steps, []);
  assert.match(problems[0]?.words ?? '', /present secret needs at least 64 characters.*declare/);
});

// H-564
test('a client without owner, or of another owner, is neither changed nor deleted unless it is adopted', async () => {
  const tenant = testTenant();
  await tenant.register({ ...SERVICE, preferred_client_id: 'theirs' });
  const { problems } = await plan(tenant, { theirs: SERVICE });
  assert.match(problems[0]?.words ?? '', /has no owner: adopt it/);
  await planAndApply(tenant, { theirs: SERVICE }, { adopts: (_, owner) => owner === null });
  assert.equal((await stored(tenant, 'theirs')).owner, 'shop');
  const other = await plan(
    tenant,
    { theirs: SERVICE },
    { owner: 'bank', adopts: (_, owner) => owner === null },
  );
  assert.match(other.problems[0]?.words ?? '', /has the owner shop/);
  assert.deepEqual(await planPrune(await tenant.registry(), 'bank', () => false), []);
  // A forged plan does not help either.
  const seen = await stored(tenant, 'theirs');
  const forged = [{ step: { action: 'delete' as const, client_id: seen.client_id, seen } }];
  assert.deepEqual(await applyClients(await tenant.registry(), forged, applying('bank')), [
    { client_id: 'theirs', reason: 'other_owner' },
  ]);
});

// H-564
test('a client cannot take or leave an owner by its metadata or its data', async () => {
  const tenant = testTenant();
  const files = { job: { ...SERVICE, data: { owner: 'shop' } } };
  await planAndApply(tenant, files);
  const { client_id, registration_access_token } = await tenant.register({
    ...SERVICE,
    preferred_client_id: 'thief',
    owner: 'shop',
    data: { owner: 'shop' },
  });
  assert.equal((await stored(tenant, client_id)).owner, null);
  const json = { ...SERVICE, client_id, owner: 'shop', data: { owner: 'shop' } };
  const updated = await tenant.send('client-update', {
    bearer: registration_access_token,
    id: client_id,
    json,
  });
  assert.equal(updated.status, 200, updated.body);
  assert.equal((await stored(tenant, client_id)).owner, null);
  await tenant.send('client-update', { bearer: MASTER, id: 'job', json: { ...SERVICE, owner: 'thief' } });
  assert.equal((await stored(tenant, 'job')).owner, 'shop');
});

test('a prune deletes the clients of the owner that no file declares, and nothing else', async () => {
  const tenant = testTenant();
  await planAndApply(tenant, { a: SERVICE, b: SERVICE });
  await tenant.register({ ...SERVICE, preferred_client_id: 'c' });
  const steps = await planPrune(await tenant.registry(), 'shop', (id) => id === 'a');
  assert.deepEqual(
    steps.map(({ action, client_id, secret }) => [action, client_id, secret]),
    [['delete', 'b', 'removed']],
  );
  assert.deepEqual(await apply(tenant, {}, { steps }), []);
  const left = await tenant.storage.clients.page(undefined, 10);
  assert.deepEqual(
    left.map(({ client_id }) => client_id),
    ['a', 'c'],
  );
  await planAndApply(tenant, { b: SERVICE });
});

test('a batch in which one client has changed meanwhile applies nothing, and says so', async () => {
  const tenant = testTenant();
  await planAndApply(tenant, { a: SERVICE, b: SERVICE });
  const files = { a: { ...SERVICE, scope: 'x' }, b: { ...SERVICE, scope: 'x' }, c: SERVICE };
  const planned = await plan(tenant, files);
  const json = { ...SERVICE, scope: 'y' };
  assert.equal((await tenant.send('client-update', { bearer: MASTER, id: 'b', json })).status, 200);
  assert.deepEqual(await apply(tenant, files, planned), [{ client_id: 'b', reason: 'changed_meanwhile' }]);
  assert.equal((await stored(tenant, 'a')).version, 1);
  await planAndApply(tenant, files);
  assert.deepEqual((await plan(tenant, files)).steps, []);
});

test('a replacement ends the registration with its tokens and makes another one', async () => {
  const tenant = testTenant();
  await planAndApply(tenant, { job: { ...SERVICE, client_secret: SECRET } });
  const old = await stored(tenant, 'job');
  const planned = await planAndApply(tenant, { job: SERVICE }, { replaces: (id) => id === 'job' });
  assert.deepEqual(
    planned.steps.map(({ action, secret }) => [action, secret]),
    [['replace', 'generated']],
  );
  assert.notEqual((await stored(tenant, 'job')).instance, old.instance);
  assert.equal(await tokenStatus(tenant, 'job', SECRET), 401);
});

test('an adopted client of open registration counts as registered by its owner, and its plan shows the default scope that ends', async () => {
  const settings = {
    'registration.allow-open-registration': true,
    'registration.open-scope-values': ['openid', 'email'],
    'registration.open-idempotent': true,
  };
  const tenant = testTenant({ settings });
  const web = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
  const { json } = await tenant.send('client-registration', { json: web });
  const id = String(json['client_id']);
  const planned = await planAndApply(tenant, { [id]: web }, { adopts: () => true });
  assert.deepEqual(
    planned.steps.map(({ adopted_from, changes }) => [adopted_from, changes]),
    [[null, [{ path: '/scope', before: 'openid email' }]]],
  );
  const client = await stored(tenant, id);
  assert.deepEqual([client.registered_via, client.shared_digest], ['cli', null]);
  assert.deepEqual((await plan(tenant, { [id]: web })).steps, []);
});

test('mistakes of all clients are reported together, with the member and the rule', async () => {
  const tenant = testTenant();
  const { problems, steps, dropped } = await plan(tenant, {
    a: { redirect_uris: ['javascript:alert(1)'], grant_types: ['authorization_code'] },
    'b c': SERVICE,
    chancery: SERVICE,
    d: { ...SERVICE, redirect_uri: CALLBACK },
  });
  assert.deepEqual(
    problems.map(({ client_id }) => client_id),
    ['a', 'b c', 'chancery'],
  );
  assert.match(problems[0]?.words ?? '', /redirect_uris\[0\]/);
  assert.match(dropped[0]?.words ?? '', /redirect_uri is unknown; did you mean redirect_uris/);
  assert.deepEqual(
    steps.map(({ client_id }) => client_id),
    ['d'],
  );
});

test('each step is an audit event with the owner, in the write of the step', async () => {
  const tenant = testTenant();
  await planAndApply(tenant, { a: SERVICE });
  await planAndApply(tenant, { a: { ...SERVICE, scope: 'x' } });
  await apply(tenant, {}, { steps: await planPrune(await tenant.registry(), 'shop', () => false) });
  const events = (await tenant.storage.audit.page(0, 10)).map((event) => [
    event.action,
    event.client_id,
    event.detail,
  ]);
  assert.deepEqual(events, [
    ['client.create', 'a', 'declared by shop'],
    ['client.update', 'a', 'declared by shop'],
    ['client.delete', 'a', 'declared by shop'],
  ]);
});
