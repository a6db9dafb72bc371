import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { installClients } from '../clients/installed.ts';
import { type Program, startProgram } from '../program/start.ts';
import { BEHIND_PROXY, type Caller, registerCaller } from './callers.ts';
import { assertRefusal, provesItsRefusals } from './orders-api.ts';
import { commandsOf, type StartedExample, startAsReadmeSays } from './readme.ts';

interface OrdersApi {
  /** Its folder in `examples`. */
  readonly name: string;
  /** The client of `examples/caller` whose tokens it takes. */
  readonly caller: string;
  /** The status of its answers to a revoked token. */
  readonly revoked: { readonly GET: number; readonly POST: number };
  /** The status of its answers while the server is gone. */
  readonly alone: { readonly GET: number; readonly POST: number };
}

const SELF_CONTAINED = 'client-self-contained.json';
const APIS: readonly OrdersApi[] = [
  {
    name: 'express',
    caller: 'client.json',
    revoked: { GET: 401, POST: 401 },
    alone: { GET: 503, POST: 503 },
  },
  {
    name: 'fastify',
    caller: SELF_CONTAINED,
    revoked: { GET: 200, POST: 201 },
    alone: { GET: 200, POST: 201 },
  },
  {
    name: 'hono',
    caller: SELF_CONTAINED,
    revoked: { GET: 200, POST: 401 },
    alone: { GET: 200, POST: 503 },
  },
];

for (const { name, caller: client, revoked, alone } of APIS) {
  suite(`examples/${name}, started with the commands of its README`, () => {
    let program: Program;
    let api: StartedExample;
    let caller: Caller;

    before(async () => {
      await installClients('examples');
      program = await startProgram({ mode: 'dev', environment: BEHIND_PROXY });
      api = await startAsReadmeSays(program, name);
      caller = await registerCaller(program, client);
    });
    after(async () => {
      await program.stop();
      await api.stop();
    });

    const send = async (token: string, method: 'GET' | 'POST' = 'GET'): Promise<Response> =>
      await fetch(`${api.origin}/orders`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: '{"item":"ink"}' } : {}),
      });

    test('README: the caller is refused without a token, finds the server by RFC 9728, and reads the orders', async () => {
      const [, calling = []] = commandsOf(name);
      const printed: string[] = [];
      for (const words of calling) printed.push(await api.run(words));
      assert.equal(
        printed.join(''),
        [
          `401 Bearer resource_metadata="${api.origin}/.well-known/oauth-protected-resource"`,
          `token of ${program.issuer} for ${api.origin} with orders:read orders:write`,
          '200 [{"id":1,"item":"sealing wax"}]\n',
        ].join('\n'),
      );
    });

    test('a token with the scope value reads and writes; one without it gets 403 insufficient_scope (RFC 6750 §3.1)', async () => {
      const token = await caller.token('orders:read orders:write', api.origin);
      assert.equal((await send(token)).status, 200);
      const placed = await send(token, 'POST');
      assert.equal(placed.status, 201);
      assert.equal(((await placed.json()) as { item?: unknown }).item, 'ink');
      const reading = await caller.token('orders:read', api.origin);
      assert.equal((await send(reading)).status, 200);
      await assertRefusal(
        await send(reading, 'POST'),
        403,
        'error="insufficient_scope", scope="orders:write", ',
        api.origin,
      );
    });

    provesItsRefusals(() => ({ origin: api.origin, caller }));

    test(`a revoked token gets ${revoked.GET} for a GET and ${revoked.POST} for a POST, as README says`, async () => {
      const token = await caller.token('orders:read orders:write', api.origin);
      assert.deepEqual([(await send(token)).status, (await send(token, 'POST')).status], [200, 201]);
      await caller.revoke(token);
      assert.deepEqual(
        [(await send(token)).status, (await send(token, 'POST')).status],
        [revoked.GET, revoked.POST],
      );
    });

    test(`while the server is gone, a GET gets ${alone.GET} and a POST ${alone.POST}, as README says`, async () => {
      const token = await caller.token('orders:read orders:write', api.origin);
      await program.stop();
      assert.deepEqual(
        [(await send(token)).status, (await send(token, 'POST')).status],
        [alone.GET, alone.POST],
      );
    });
  });
}
