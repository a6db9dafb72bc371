import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeRequest, VERIFIER } from '../../../test/program/code-request.ts';
import { dpopKey } from '../../testing/dpop.ts';
import type { Answer } from '../../testing/exchange.ts';
import { answeredTo, aPerson, RELYING_PARTY } from '../../testing/person.ts';
import {
  CALLBACK,
  type ClientInformation,
  ISSUER,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const KEY = dpopKey();
const proofFor = (tenant: TestTenant, path: string, key = KEY): string =>
  key.proof({ method: 'POST', address: ISSUER + path, now: tenant.clock.now() });

async function push(
  tenant: TestTenant,
  client: ClientInformation,
  dpop: string,
  change: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { searchParams } = new URL(
    codeRequest(ISSUER, { client_id: client.client_id, redirect_uri: CALLBACK }),
  );
  const form = { ...Object.fromEntries(searchParams), ...change };
  return await tenant.send('pushed-authorization-request', {
    basic: [client.client_id, client.client_secret],
    form,
    headers: { dpop },
  });
}

// proves rfc9449-10.1-1
test('a pushed request with a proof binds its code to the key, as dpop_jkt does (RFC 9449 §10.1)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const pushed = await push(tenant, client, proofFor(tenant, '/par'));
  assert.equal(pushed.status, 201, pushed.body);
  const { client_id, client_secret } = client;
  const ada = await aPerson(tenant);
  const request_uri = String(pushed.json['request_uri']);
  let page = await ada.browser.open(
    `${ISSUER}/authorize?${String(new URLSearchParams({ client_id, request_uri }))}`,
  );
  page = await ada.signIn(page);
  if (page.html.includes('value="allow"')) page = await ada.browser.submit(page, 'allow');
  const { code = '' } = answeredTo(page);
  const redeem = async (dpop: string): Promise<Answer> =>
    await tenant.send('token', {
      basic: [client_id, client_secret],
      form: { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER },
      headers: { dpop },
    });
  assert.equal((await redeem(proofFor(tenant, '/token', dpopKey()))).json['error'], 'invalid_grant');
  const issued = await redeem(proofFor(tenant, '/token'));
  assert.equal(issued.json['token_type'], 'DPoP', issued.body);
});

// proves rfc9449-10.1-2
test('a proof with another key than dpop_jkt, a used one and one for another address are 400 invalid_dpop_proof (RFC 9449 §10.1)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const used = proofFor(tenant, '/par');
  assert.equal((await push(tenant, client, used, { dpop_jkt: KEY.jkt })).status, 201);
  const refusals = [
    await push(tenant, client, proofFor(tenant, '/par'), { dpop_jkt: dpopKey().jkt }),
    await push(tenant, client, used),
    await push(tenant, client, proofFor(tenant, '/token')),
  ];
  for (const { status, json, body } of refusals)
    assert.deepEqual([status, json['error']], [400, 'invalid_dpop_proof'], body);
});
