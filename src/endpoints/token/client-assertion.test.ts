import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ASSERTING,
  type AssertingClient,
  asserted,
  claimsOf,
  type MakeAsserting,
} from '../../testing/assertion.ts';
import {
  ACCEPTED_CLAIMS,
  ACCEPTED_HEADERS,
  REFUSED_CLAIMS,
  REFUSED_FORMS,
  REFUSED_HEADERS,
} from '../../testing/assertion-rows.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import {
  INTROSPECTION_SCOPE,
  ISSUER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const grant = { grant_type: 'client_credentials' };

async function ask(tenant: TestTenant, assertion: string, form: object = {}): Promise<Answer> {
  return await tenant.send('token', { form: asserted(assertion, { ...grant, ...form }) });
}

function assertInvalidClient(answered: Answer): void {
  assertError(answered, 'invalid_client', /^client authentication failed$/);
  assert.equal(answered.headers['www-authenticate'], undefined);
}

/** The refusal is this one's, and the client is not the worse for it. */
async function assertOnlyThisRefused(
  tenant: TestTenant,
  client: AssertingClient,
  bad: string,
): Promise<void> {
  assertInvalidClient(await ask(tenant, bad));
  const good = await ask(tenant, client.sign(claimsOf(client.client_id)));
  assert.equal(good.status, 200, good.body);
}

for (const [method, make] of Object.entries(ASSERTING)) {
  accepts(method, make);
  refuses(method, make);
  usesOnce(method, make);
  mixes(method, make);
}

function accepts(method: string, make: MakeAsserting): void {
  for (const [what, claims] of Object.entries(ACCEPTED_CLAIMS)) {
    // proves rfc7523-3-5
    test(`${method}, ${what}: 200 (decision 18; OpenID Connect Core 1.0 §9)`, async () => {
      const tenant = testTenant();
      const client = await make(tenant);
      const answered = await ask(tenant, client.sign(claimsOf(client.client_id, claims)));
      assert.equal(answered.status, 200, answered.body);
    });
  }

  for (const [what, header] of Object.entries(ACCEPTED_HEADERS)) {
    test(`${method}, ${what}: 200 (RFC 7515 §4.1.9; draft-ietf-oauth-rfc7523bis)`, async () => {
      const tenant = testTenant();
      const client = await make(tenant);
      const answered = await ask(tenant, client.sign(claimsOf(client.client_id), header));
      assert.equal(answered.status, 200, answered.body);
    });
  }

  test(`${method}: the token is the client's (RFC 7523 §3)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant, { scope: 'read' });
    const answered = await ask(tenant, client.sign(claimsOf(client.client_id)));
    const introspected = await tenant.introspect(String(answered.json['access_token']));
    assert.equal(introspected['client_id'], client.client_id);
    assert.equal(introspected['scope'], 'read');
  });

  // proves rfc7521-4.2-1
  test(`${method}, client_id beside the assertion: 200 where it is the same, otherwise 401 (RFC 7521 §4.2)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    const { client_id } = client;
    assert.equal((await ask(tenant, client.sign(claimsOf(client_id)), { client_id })).status, 200);
    const another = await make(tenant);
    const form = { client_id: another.client_id };
    assertInvalidClient(await ask(tenant, client.sign(claimsOf(client_id)), form));
  });

  // proves rfc7523-3-4, rfc9126-2-2, ciba-7.1-6
  test(`${method}, assertion-audience legacy: our endpoints and lists with one of ours are accepted, any other audience is not (decision 18)`, async () => {
    const paths = ['/token', '/token/revoke', '/par', '/device_authorization', '/backchannel_authentication'];
    const values = [ISSUER, INTROSPECTION_SCOPE, ...paths.map((path) => ISSUER + path)];
    const tenant = testTenant({ settings: { 'client-authentication.assertion-audience': 'legacy' } });
    const client = await make(tenant);
    const audiences = [...values, [ISSUER], [`${ISSUER}/token`, 'https://other.example.com']];
    for (const aud of audiences) {
      const answered = await ask(tenant, client.sign(claimsOf(client.client_id, { aud })));
      assert.equal(answered.status, 200, answered.body);
    }
    for (const aud of [
      undefined,
      'https://other.example.com',
      ['https://other.example.com'],
      [],
      [1, ISSUER],
    ]) {
      assertInvalidClient(await ask(tenant, client.sign(claimsOf(client.client_id, { aud }))));
    }
  });
}

function refuses(method: string, make: MakeAsserting): void {
  for (const [what, claims] of Object.entries(REFUSED_CLAIMS)) {
    // proves rfc7523-3-3, rfc7523-3-5
    test(`${method}, ${what}: 401 invalid_client (decision 18; H-150)`, async () => {
      const tenant = testTenant();
      const client = await make(tenant);
      await assertOnlyThisRefused(tenant, client, client.sign(claimsOf(client.client_id, claims)));
    });
  }

  for (const [what, header] of Object.entries(REFUSED_HEADERS)) {
    test(`${method}, ${what}: 401 invalid_client (H-149)`, async () => {
      const tenant = testTenant();
      const client = await make(tenant);
      await assertOnlyThisRefused(tenant, client, client.sign(claimsOf(client.client_id), header));
    });
  }

  for (const [what, spoil] of Object.entries(REFUSED_FORMS)) {
    // proves rfc7523-3-7
    test(`${method}, ${what}: 401 invalid_client (H-149; RFC 7515 §7.1)`, async () => {
      const tenant = testTenant();
      const client = await make(tenant);
      await assertOnlyThisRefused(tenant, client, spoil(client.sign(claimsOf(client.client_id))));
    });
  }

  test(`${method}, a payload that is no object, or has a member twice: 401 invalid_client (RFC 7519 §7.2)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    const twice = JSON.stringify(claimsOf(client.client_id)).replace('{', '{"aud":"x",');
    for (const payload of ['[]', '"x"', '1', 'null', 'true', '{', twice, '['.repeat(5000)]) {
      assertInvalidClient(await ask(tenant, client.sign(payload)));
    }
  });

  // proves rfc7523-3-3
  test(`${method}: an assertion about another client, signed with one's own key, is refused (H-150)`, async () => {
    const tenant = testTenant();
    const [client, victim] = [await make(tenant), await tenant.register(SERVICE)];
    assertInvalidClient(await ask(tenant, client.sign(claimsOf(victim.client_id))));
    const borrowed = claimsOf(client.client_id, { sub: victim.client_id });
    assertInvalidClient(await ask(tenant, client.sign(borrowed)));
  });

  // proves rfc7523-2.2-1
  test(`${method}: client_assertion_type missing, wrong or alone, or an assertion without type: 401; twice: 400 (H-148; RFC 7521 §4.2)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    const good = (): Readonly<Record<string, string>> =>
      asserted(client.sign(claimsOf(client.client_id)), grant);
    const { client_assertion_type: type = '', ...untyped } = good();
    for (const form of [
      untyped,
      { ...good(), client_assertion_type: `${type}x` },
      { ...good(), client_assertion_type: type.toUpperCase() },
      { ...good(), client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
      { ...grant, client_assertion_type: type },
      { ...grant, client_assertion_type: type, client_id: client.client_id },
    ]) {
      assertInvalidClient(await tenant.send('token', { form }));
    }
    for (const name of ['client_assertion', 'client_assertion_type']) {
      const form = `${String(new URLSearchParams(good()))}&${name}=x`;
      assertError(await tenant.send('token', { form }), 'invalid_request', /given more than once/);
    }
  });

  // proves rfc7523-3.2-1
  test(`${method}: every reason has the same bytes, and its own words in the report (decision 19)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    const rows: readonly (readonly [assertion: string, detail: RegExp])[] = [
      [client.sign(claimsOf('nobody')), /^unknown client$/],
      [client.sign(claimsOf(client.client_id, { exp: START - 60 })), /^client_assertion: expired$/],
      [client.sign(claimsOf(client.client_id, { sub: 'x' })), /^sub is not iss$/],
      ['x.y.z', /^credentials are not well-formed$/],
    ];
    const answers: Answer[] = [];
    for (const [assertion, detail] of rows) {
      answers.push(await ask(tenant, assertion));
      const failure = tenant.reports.at(-1);
      assert.ok(failure instanceof Error && 'detail' in failure);
      assert.match(String(failure.detail), detail);
    }
    for (const answered of answers) assert.deepEqual(answered, answers[0]);
  });
}

function usesOnce(method: string, make: MakeAsserting): void {
  // proves rfc7523-3-6
  test(`${method}: an assertion is used once, at whichever endpoint, as long as it could be (decision 18; RFC 7523 §3)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant, { scope: INTROSPECTION_SCOPE });
    const assertion = client.sign(claimsOf(client.client_id));
    assert.equal((await ask(tenant, assertion)).status, 200);
    assertInvalidClient(await ask(tenant, assertion));
    assertInvalidClient(await tenant.send('introspection', { form: asserted(assertion, { token: 'x' }) }));
    tenant.clock.advance(119);
    await tenant.storage.replays.sweepExpired(tenant.clock.now(), 100);
    assertInvalidClient(await ask(tenant, assertion));
  });

  // proves rfc7523-3-6
  test(`${method}: of fifty equal ones at once exactly one is taken (decision 18)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    const assertion = client.sign(claimsOf(client.client_id));
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(tenant, assertion)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 401).length, 49);
  });

  test(`${method}: only the client uses up its jti; a bad signature, bad claims or another client's assertion do not`, async () => {
    const tenant = testTenant();
    const [client, other] = [await make(tenant), await make(tenant)];
    const jti = { jti: 'the same' };
    const good = client.sign(claimsOf(client.client_id, jti));
    const at = good.lastIndexOf('.') + 1;
    const broken = `${good.slice(0, at)}${good[at] === 'A' ? 'B' : 'A'}${good.slice(at + 1)}`;
    assertInvalidClient(await ask(tenant, broken));
    assertInvalidClient(await ask(tenant, client.sign(claimsOf(client.client_id, { ...jti, aud: 'x' }))));
    assertInvalidClient(await ask(tenant, client.sign(claimsOf(client.client_id, { ...jti, sub: 'x' }))));
    assert.equal((await ask(tenant, other.sign(claimsOf(other.client_id, jti)))).status, 200);
    assert.equal((await ask(tenant, good)).status, 200);
  });

  test(`${method}: a changed assertion with a used jti is refused, one with another jti is taken`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    const used = { jti: 'used' };
    assert.equal((await ask(tenant, client.sign(claimsOf(client.client_id, used)))).status, 200);
    const changed = claimsOf(client.client_id, { ...used, exp: START + 61 });
    assertInvalidClient(await ask(tenant, client.sign(changed)));
    const another = claimsOf(client.client_id, { jti: 'Used' });
    assert.equal((await ask(tenant, client.sign(another))).status, 200);
  });

  test(`${method}: where the jti cannot be remembered, authentication fails`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    tenant.watch.fail(new Error('disk full'), 'replays.rememberOnce');
    assert.equal((await ask(tenant, client.sign(claimsOf(client.client_id)))).status, 500);
    tenant.watch.recover();
    assert.equal((await ask(tenant, client.sign(claimsOf(client.client_id)))).status, 200);
  });
}

function mixes(method: string, make: MakeAsserting): void {
  test(`${method}: an assertion beside Basic, a secret in the body or a bearer token is 400, and is not used up (decision 17; RFC 6749 §2.3)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant, { scope: INTROSPECTION_SCOPE });
    const other = await tenant.register(SERVICE);
    const bearer = await tenant.authorize({ client_id: client.client_id, scope: [INTROSPECTION_SCOPE] });
    const form = asserted(client.sign(claimsOf(client.client_id)), { ...grant, token: 'x' });
    const basic = [other.client_id, other.client_secret] as const;
    for (const endpoint of ['token', 'introspection'] as const) {
      for (const request of [
        { basic, form },
        { form: { ...form, client_secret: other.client_secret } },
        { bearer, form },
        { bearer, form: { ...grant, client_assertion_type: 'x' } },
      ]) {
        assertError(await tenant.send(endpoint, request), 'invalid_request', /more than one/);
      }
    }
    assert.equal((await tenant.send('token', { form })).status, 200);
  });

  test(`${method}: the secret itself does not authenticate, nor does an assertion a client of a secret (decision 17)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await make(tenant);
    const secret = client_secret === '' ? 'x' : client_secret;
    const basic = await tenant.send('token', { basic: [client_id, secret], form: grant });
    assertError(basic, 'invalid_client');
    assert.match(basic.headers['www-authenticate'] ?? '', /^Basic /);
    const posted = { ...grant, client_id, client_secret: secret };
    assertInvalidClient(await tenant.send('token', { form: posted }));
    for (const token_endpoint_auth_method of ['client_secret_basic', 'client_secret_post']) {
      const other = await make(tenant, { token_endpoint_auth_method });
      assertInvalidClient(await ask(tenant, other.sign(claimsOf(other.client_id))));
    }
  });

  test(`${method}: an assertion that comes where a secret belongs is none (decision 17)`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    const { client_id } = client;
    const assertion = client.sign(claimsOf(client_id));
    assertError(await tenant.send('token', { basic: [client_id, assertion], form: grant }), 'invalid_client');
    const posted = { ...grant, client_id, client_secret: assertion };
    assertInvalidClient(await tenant.send('token', { form: posted }));
    assert.equal((await ask(tenant, assertion)).status, 200);
  });

  test(`${method}: a remembered header does not stand for an assertion, nor an assertion for the next request`, async () => {
    const tenant = testTenant();
    const client = await make(tenant);
    const other = await tenant.register(SERVICE);
    const request = { basic: [other.client_id, other.client_secret], form: grant } as const;
    for (let time = 0; time < 2; time += 1) assert.equal((await tenant.send('token', request)).status, 200);
    const assertion = client.sign(claimsOf(client.client_id));
    const both = { ...request, form: asserted(assertion, grant) };
    assertError(await tenant.send('token', both), 'invalid_request');
    assert.equal((await ask(tenant, assertion)).status, 200);
    assertInvalidClient(await tenant.send('token', { form: { ...grant, client_id: client.client_id } }));
  });
}
