import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRepeatable } from '../endpoints/admin/operation-contract.ts';
import { StorageUnavailable } from '../ports/storage.ts';
import { ADMIN_SCOPES, type AdminScope, permitsAdmin } from '../spec/admin-scopes.ts';
import { ADMIN_CONTRACTS } from '../tenant/admin-endpoints.ts';
import type { Answer, TestRequest } from './exchange.ts';
import { ADMIN, type TestTenant, testTenant } from './tenant.ts';

/** Makes the tenant of a test; the default is one with every default. */
type MakeTenant = () => TestTenant | Promise<TestTenant>;

/** Returns the request that an operation follows, without credentials. */
export type OperationRequest = (tenant: TestTenant) => TestRequest | Promise<TestRequest>;

/** Returns the items of a list operation, as an administrator of everything sees them. */
export const listed =
  <Item>(operation: string) =>
  async (tenant: TestTenant, query = ''): Promise<readonly Item[]> =>
    (await tenant.send(operation, { bearer: ADMIN, query })).json['items'] as readonly Item[];

/** Asserts a refusal with problem details (RFC 9457), and what a person reads. */
export function assertProblem(answer: Answer, status: number, code: string, detail?: RegExp): void {
  assert.equal(answer.status, status, answer.body);
  assert.equal(answer.json['type'], `urn:chancery:problem:${code}`);
  assert.equal(answer.json['status'], status);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.json['instance'], 'urn:chancery:request:request-1');
  if (detail !== undefined) assert.match(String(answer.json['detail']), detail);
}

/**
 * Tests what every operation refuses, and how: 400, 401, 403, 500 and 503, and what `Idempotency-Key` does to a `POST`.
 * Call it once for each operation.
 */
export function testAdminOperation(
  name: string,
  request: OperationRequest,
  make: MakeTenant = testTenant,
): void {
  const { form } =
    ADMIN_CONTRACTS.find((contract) => contract.name === name) ??
    assert.fail(`no operation is named ${name}`);

  test(`${name} answers 401 without a token, and names the scope that it needs (RFC 6750 §3)`, async () => {
    const tenant = await make();
    const scope = await scopeOf(tenant, name);
    const refused = await tenant.send(name, await request(tenant));
    assertProblem(refused, 401, 'invalid_token');
    const challenges = new RegExp(`^Bearer scope="${scope}", DPoP scope="${scope}", algs=`, 'u');
    assert.match(refused.headers['www-authenticate'] ?? '', challenges);
  });

  test(`${name} answers 403 to every scope value that does not include its own, and follows its own (RFC 6750 §3.1)`, async () => {
    const tenant = await make();
    const scope = await scopeOf(tenant, name);
    const asked = await request(tenant);
    const others = ADMIN_SCOPES.filter((each) => !permitsAdmin([each], scope));
    const refused = await tenant.send(name, { ...asked, bearer: await tenant.adminToken(...others) });
    assertProblem(refused, 403, 'insufficient_scope');
    assert.match(refused.headers['www-authenticate'] ?? '', new RegExp(`scope="${scope}"$`, 'u'));
    const answered = await tenant.send(name, { ...asked, bearer: await tenant.adminToken(scope) });
    assert.ok(answered.status < 300, answered.body);
  });

  test(`${name} answers 400 to a parameter that it does not know, and names those that it knows`, async () => {
    const tenant = await make();
    const asked = await request(tenant);
    const refused = await tenant.send(name, { ...asked, bearer: ADMIN, query: 'dryrun=true' });
    assertProblem(
      refused,
      400,
      'unknown_parameter',
      /^this operation has (?:no parameters|the parameters [a-z_, ]+ only)$/,
    );
    assert.deepEqual(refused.json['errors'], [{ pointer: 'dryrun', detail: 'is not known' }]);
  });

  test(`${name} answers 500 for a fault of the server, without its cause`, async () => {
    const refused = await failing(name, new Error('secret cause'));
    assertProblem(refused, 500, 'server_error');
    assert.ok(!refused.body.includes('secret'));
  });

  test(`${name} answers 503 with Retry-After while nothing can be stored`, async () => {
    const refused = await failing(name, new StorageUnavailable('full', { writesStopped: true }));
    assertProblem(refused, 503, 'temporarily_unavailable');
    assert.equal(refused.headers['retry-after'], '60');
  });

  if (isRepeatable(form)) testIdempotency(name, request, make);
}

/** Tests the repetition of a `POST`: 409 and 422. */
function testIdempotency(name: string, request: OperationRequest, make: MakeTenant): void {
  test(`${name} repeated with its Idempotency-Key has the same answer and happens once; another request answers 422`, async () => {
    const tenant = await make();
    const asked = await request(tenant);
    const keyed = { ...asked, bearer: ADMIN, headers: { ...asked.headers, 'idempotency-key': 'key-1' } };
    const first = await tenant.send(name, keyed);
    assert.ok(first.status < 300, first.body);
    const events = (await tenant.unwatched.audit.page(0, 200)).length;
    assert.deepEqual(await tenant.send(name, keyed), first);
    assert.equal((await tenant.unwatched.audit.page(0, 200)).length, events);
    const other = { ...keyed, query: [asked.query, 'dry_run=false'].filter(Boolean).join('&') };
    assertProblem(await tenant.send(name, other), 422, 'idempotency_key_reused');
    for (const key of ['', 'a b', 'é', 'x'.repeat(256)]) {
      const wrong = { ...keyed, headers: { ...keyed.headers, 'idempotency-key': key } };
      assertProblem(await tenant.send(name, wrong), 400, 'invalid_parameter', /^Idempotency-Key must have /);
    }
    tenant.clock.advance(86_400);
    const later = await tenant.send(name, keyed);
    assert.notDeepEqual([later.status, later.body], [422, first.body], 'after a day the key is forgotten');
  });

  test(`${name} with a key whose first answer was lost: 409, because the change may have happened`, async () => {
    const tenant = await make();
    const asked = await request(tenant);
    const keyed = { ...asked, bearer: ADMIN, headers: { ...asked.headers, 'idempotency-key': 'key-1' } };
    tenant.watch.fail(new Error('gone'), 'interactions.begin');
    const first = await tenant.send(name, keyed);
    assert.ok(first.status < 300, first.body);
    tenant.watch.recover();
    const events = (await tenant.unwatched.audit.page(0, 200)).length;
    const again = await tenant.send(name, keyed);
    assert.equal(again.status, 409, again.body);
    const done = (await tenant.unwatched.audit.page(0, 200)).slice(events);
    assert.deepEqual(
      done.filter(({ outcome }) => outcome === 'done'),
      [],
    );
  });
}

/**
 * Tests the conditions of a change: 412 and 428.
 * @param request without `If-Match`
 */
export function testAdminPrecondition(
  name: string,
  request: OperationRequest,
  make: MakeTenant = testTenant,
): void {
  const send = async (match: string | undefined): Promise<Answer> => {
    const tenant = await make();
    const asked = await request(tenant);
    const headers = { ...asked.headers, ...(match === undefined ? {} : { 'if-match': match }) };
    return await tenant.send(name, { ...asked, bearer: ADMIN, headers });
  };

  test(`${name} answers 428 without If-Match (RFC 6585 §3)`, async () => {
    assertProblem(await send(undefined), 428, 'precondition_required');
  });

  test(`${name} answers 412 to the tag of another version, also to a weak one, and follows * (RFC 9110 §13.1.1)`, async () => {
    for (const match of ['"other"', 'W/"other"', '"a", "b"'])
      assertProblem(await send(match), 412, 'precondition_failed');
    for (const match of ['other', '"', ''])
      assertProblem(await send(match), 400, 'invalid_parameter', /^If-Match must be /);
    const followed = await send('*');
    assert.ok(followed.status < 300, followed.body);
  });
}

/** Tests that a dry run answers with 200 and changes nothing that `state` reads. */
export function testAdminDryRun(
  name: string,
  request: OperationRequest,
  state: (tenant: TestTenant) => Promise<unknown>,
  make: MakeTenant = testTenant,
): void {
  test(`${name}?dry_run=true: 200 with the changes, and nothing is stored`, async () => {
    const tenant = await make();
    const asked = await request(tenant);
    const before = await state(tenant);
    const query = [asked.query ?? '', 'dry_run=true'].filter((part) => part !== '').join('&');
    const headers = { 'if-match': '*', ...asked.headers };
    const answered = await tenant.send(name, { ...asked, headers, query, bearer: ADMIN });
    assert.equal(answered.status, 200, answered.body);
    assert.equal(answered.json['dry_run'], true);
    assert.deepEqual(Object.keys(answered.json), ['dry_run', 'changes', 'warnings', 'result']);
    assert.deepEqual(await state(tenant), before);
    assertProblem(
      await tenant.send(name, { ...asked, headers, query: 'dry_run=maybe', bearer: ADMIN }),
      400,
      'invalid_parameter',
      /^dry_run must be true or false$/,
    );
  });
}

async function scopeOf(tenant: TestTenant, name: string): Promise<AdminScope> {
  const { contract } = await tenant.endpoint(name);
  return contract.scope ?? assert.fail(`${name} is no operation of the administration`);
}

async function failing(name: string, failure: Error): Promise<Answer> {
  const tenant = testTenant();
  const endpoint = { ...(await tenant.endpoint(name)), handle: () => Promise.reject(failure) };
  return await tenant.ask(endpoint, { bearer: ADMIN });
}
