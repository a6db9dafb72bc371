import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { BEHIND_PROXY, type Caller, registerCaller } from '../../examples/callers.ts';
import { assertRefusal, provesItsRefusals } from '../../examples/orders-api.ts';
import { commandsOf, type StartedExample, startNginxAsReadmeSays } from '../../examples/readme.ts';
import { type Program, startProgram } from '../../program/start.ts';
import { skipReason } from './packages.ts';

suite('examples/nginx, started with the commands of its README', {
  skip: skipReason('nginx-auth-request'),
}, () => {
  let program: Program;
  let api: StartedExample;
  let caller: Caller;

  before(async () => {
    program = await startProgram({ mode: 'dev', environment: BEHIND_PROXY });
    api = await startNginxAsReadmeSays(program);
    caller = await registerCaller(program, 'client.json');
  });
  after(async () => {
    await program.stop();
    await api.stop();
  });

  const send = async (token: string, method = 'GET', headers = {}): Promise<Response> =>
    await fetch(`${api.origin}/orders`, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });

  test('README: the caller is refused without a token, finds the server by RFC 9728, and reads the orders', async () => {
    const [, calling = []] = commandsOf('nginx');
    const printed: string[] = [];
    for (const words of calling) printed.push(await api.run(words));
    const [refused, token, orders] = printed.join('').split('\n');
    assert.equal(
      refused,
      `401 Bearer resource_metadata="${api.origin}/.well-known/oauth-protected-resource"`,
    );
    assert.equal(token, `token of ${program.issuer} for ${api.origin} with orders:read orders:write`);
    assert.match(orders ?? '', /^200 \[\{"id":1,"item":"sealing wax","for":"\w{24}"\}\]$/u);
  });

  test('a token without the scope value gets 403 insufficient_scope (RFC 6750 §3.1)', async () => {
    const token = await caller.token('orders:read', api.origin);
    assert.equal((await send(token)).status, 200);
    const refused = await send(token, 'POST');
    await assertRefusal(refused, 403, 'error="insufficient_scope", scope="orders:write", ', api.origin);
    assert.equal((await send(await caller.token('orders:write', api.origin), 'POST')).status, 200);
  });

  test('the API sees the subject of the token, not one that the client names', async () => {
    const answer = await send(await caller.token('orders:read', api.origin), 'GET', { 'x-subject': 'ada' });
    assert.match(await answer.text(), /"for":"\w{24}"/u);
  });

  provesItsRefusals(() => ({ origin: api.origin, caller }));

  test('a revoked token gets 401 at once', async () => {
    const token = await caller.token('orders:read', api.origin);
    assert.equal((await send(token)).status, 200);
    await caller.revoke(token);
    assert.equal((await send(token)).status, 401);
  });

  test('while the server is gone, a request gets 503', async () => {
    const token = await caller.token('orders:read', api.origin);
    await program.stop();
    assert.equal((await send(token)).status, 503);
  });
});
