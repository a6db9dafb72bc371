import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dpopKey } from '../../testing/dpop.ts';
import { type TestPlatform, testPlatform } from '../../testing/platform.ts';
import { ISSUER, SERVICE, testTenant } from '../../testing/tenant.ts';

/** Returns a platform that notes each signature that it verifies. */
function countingPlatform(): { readonly platform: TestPlatform; readonly verified: readonly unknown[] } {
  const platform = testPlatform();
  const { inspector } = platform.jose;
  const verified: unknown[] = [];
  const signatureProblem: typeof inspector.signatureProblem = async (jwt, ...rest) => {
    verified.push(jwt.header['typ']);
    return await inspector.signatureProblem(jwt, ...rest);
  };
  const jose = { ...platform.jose, inspector: { ...inspector, signatureProblem } };
  return { platform: { ...platform, jose }, verified };
}

test('a token that is bound to a key costs one signature verification and one storage call more than a bearer token: the durable write of its proof (RFC 9449 §5)', async () => {
  const { platform, verified } = countingPlatform();
  const tenant = testTenant({ platform });
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const callsFor = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    tenant.watch.calls.length = 0;
    const basic = [client_id, client_secret] as const;
    const form = { grant_type: 'client_credentials' };
    assert.equal((await tenant.send('token', { basic, form, headers })).status, 200);
    return [...tenant.watch.calls];
  };
  const request = { method: 'POST', address: `${ISSUER}/token`, now: tenant.clock.now() };
  // The first request of a client reads more.
  await callsFor({});
  const bearer = await callsFor({});
  assert.deepEqual(verified, []);
  const bound = await callsFor({ dpop: dpopKey().proof(request) });
  assert.deepEqual(verified, ['dpop+jwt']);
  const rest = [...bound];
  rest.splice(bound.indexOf('replays.rememberOnce'), 1);
  assert.deepEqual(rest, bearer);
});
