import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertBearerNeeded,
  assertBodiless,
  assertInvalidToken,
  assertMissingScopes,
  type TestRequest,
} from './exchange.ts';
import { DEFAULTS, DIRECT, INTROSPECTION_SCOPE, MASTER, testTenant, WEB_CLIENT } from './tenant.ts';

/** The acts on one registration (RFC 7592 §2), each with its method. */
const ACTS = { read: 'GET', update: 'PUT', delete: 'DELETE' } as const;
type Act = keyof typeof ACTS;

/** Returns the request that performs the act for a caller that may do it. */
function asking(act: Act, request: TestRequest): TestRequest {
  return act === 'update' ? { ...request, json: WEB_CLIENT } : request;
}

const NO_IDS = ['%', '%zz', '%ff', 'a%00b', '%C3', 'x'.repeat(513), '%78'.repeat(600)];
const NO_REGISTRATION_TOKENS = [
  'Bearer',
  'Basic YTpi',
  `Bearer ${DIRECT}`,
  `Bearer ${'a'.repeat(DEFAULTS['limits.bearer-token'] + 1)}`,
  MASTER,
];

/** Tests that a caller without a token that opens this registration gets 401. */
export function testUnauthorized(act: Act): void {
  // proves rfc7592-2-3, rfc6750-3-1
  test(`${ACTS[act]} /clients/{id} without credentials: 401 with the bare challenge, open mode or not (decision 6)`, async () => {
    for (const allowOpenRegistration of [true, false]) {
      const tenant = testTenant({
        settings: { 'registration.allow-open-registration': allowOpenRegistration },
      });
      const { client_id } = await tenant.register(WEB_CLIENT);
      assertBearerNeeded(await tenant.send(`client-${act}`, asking(act, { id: client_id })));
    }
  });

  // proves rfc7592-2.1-1
  test(`${ACTS[act]} with the registration token of another client: 401 invalid_token (decision 6)`, async () => {
    const tenant = testTenant();
    const [one, other] = [await tenant.register(WEB_CLIENT), await tenant.register(WEB_CLIENT)];
    assertInvalidToken(
      await tenant.send(
        `client-${act}`,
        asking(act, { bearer: other.registration_access_token, id: one.client_id }),
      ),
    );
  });

  // proves rfc7592-2.1-2
  test(`${ACTS[act]} with a registration token for an id that does not exist: 401, not 404 (interface, Errors, rule 2)`, async () => {
    const tenant = testTenant();
    const { registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
    assertInvalidToken(await tenant.send(`client-${act}`, asking(act, { bearer, id: 'nobody' })));
  });

  // proves rfc7592-5-1
  test(`${ACTS[act]} with the registration token of a deleted client: 401 invalid_token (decisions 6 and 14)`, async () => {
    const tenant = testTenant();
    const { client_id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
    await tenant.send('client-delete', { bearer, id: client_id });
    assertInvalidToken(await tenant.send(`client-${act}`, asking(act, { bearer, id: client_id })));
  });

  for (const segment of NO_IDS) {
    test(`${ACTS[act]} /clients/${segment.slice(0, 12)}, which is no id: 401 without the master token (decision 2)`, async () => {
      const tenant = testTenant();
      const { registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
      assertInvalidToken(await tenant.send(`client-${act}`, asking(act, { bearer, segment })));
    });
  }

  for (const authorization of NO_REGISTRATION_TOKENS) {
    // proves rfc7592-2-3, rfc6750-3-1
    test(`${ACTS[act]} with Authorization: ${authorization.slice(0, 40)}: 401 invalid_token (decision 6)`, async () => {
      const tenant = testTenant();
      const { client_id } = await tenant.register(WEB_CLIENT);
      assertInvalidToken(await tenant.send(`client-${act}`, asking(act, { authorization, id: client_id })));
    });
  }

  test(`${ACTS[act]} with an expired access token: 401 invalid_token, though a live one is 403 (decision 6)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(WEB_CLIENT);
    const bearer = await tenant.initialToken('client-reg');
    tenant.clock.advance(DEFAULTS['initial-access-token.lifetime']);
    assertInvalidToken(await tenant.send(`client-${act}`, asking(act, { bearer, id: client_id })));
  });

  test(`a refused ${ACTS[act]} changes nothing`, async () => {
    const tenant = testTenant();
    const client = await tenant.register(WEB_CLIENT);
    await tenant.send(`client-${act}`, asking(act, { id: client.client_id }));
    await tenant.send(`client-${act}`, asking(act, { bearer: 'nobody', id: client.client_id }));
    const read = await tenant.send('client-read', {
      bearer: client.registration_access_token,
      id: client.client_id,
    });
    assert.deepEqual(read.json, client.members);
  });
}

/** Tests that an access token, which is valid for other endpoints, gets 403. */
export function testInsufficientScope(act: Act): void {
  // proves rfc7592-2.1-3, rfc6750-3-1
  test(`${ACTS[act]} /clients/{id} with an initial access token, even of client-reg: 403 insufficient_scope (decision 6)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(WEB_CLIENT);
    const bearer = await tenant.initialToken('client-reg');
    assertMissingScopes(
      await tenant.send(`client-${act}`, asking(act, { bearer, id: client_id })),
      'client-reg',
    );
  });

  test(`${ACTS[act]} with an ordinary access token of this very client: 403 insufficient_scope (decision 6)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(WEB_CLIENT);
    const bearer = await tenant.authorize({ client_id, scope: [INTROSPECTION_SCOPE] });
    assertMissingScopes(
      await tenant.send(`client-${act}`, asking(act, { bearer, id: client_id })),
      'client-reg',
    );
  });

  test(`${ACTS[act]} with an access token does not reveal whether the id exists: 403 as well`, async () => {
    const tenant = testTenant();
    const bearer = await tenant.initialToken('client-reg');
    assertMissingScopes(
      await tenant.send(`client-${act}`, asking(act, { bearer, id: 'nobody' })),
      'client-reg',
    );
  });
}

/** Tests that the master token, which may see everything, gets 404 for a client that does not exist. */
export function testNotFound(act: Act): void {
  // proves rfc7592-2.1-2
  test(`${ACTS[act]} /clients/{id} of an unknown id with the master token: 404 without body (interface, Errors, rule 1)`, async () => {
    const tenant = testTenant();
    await tenant.register(WEB_CLIENT);
    assertBodiless(await tenant.send(`client-${act}`, asking(act, { bearer: MASTER, id: 'nobody' })), 404);
  });

  test(`${ACTS[act]} of a deleted client with the master token: 404 (decision 14)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(WEB_CLIENT);
    await tenant.send('client-delete', { bearer: MASTER, id: client_id });
    assertBodiless(await tenant.send(`client-${act}`, asking(act, { bearer: MASTER, id: client_id })), 404);
  });

  for (const segment of ['', ...NO_IDS, '%ED%A0%80', '..', '__proto__']) {
    test(`${ACTS[act]} /clients/${segment.slice(0, 12)} with the master token: 404, never 500 (decision 2)`, async () => {
      const tenant = testTenant();
      await tenant.register(WEB_CLIENT);
      assertBodiless(await tenant.send(`client-${act}`, asking(act, { bearer: MASTER, segment })), 404);
    });
  }
}
