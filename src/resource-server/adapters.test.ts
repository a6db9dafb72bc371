import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessToken } from './access-token.ts';
import { adaptersOf, type ExpressRequest, type FastifyRequest, type NodeResponse } from './adapters.ts';
import type { CheckedRequest, Outcome, Rules } from './resource-server.ts';

const TOKEN: AccessToken = { claims: {}, client_id: 'app', sub: 'alice', scope: ['read'], exp: 1 };
const REFUSAL = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer', 'cache-control': 'no-store' },
  body: '{"error":"invalid_token"}',
} as const;
const RULES: Rules = { scope: 'read' };

/** Accepts a request with a token, and keeps what it was asked. */
function world() {
  const seen: (readonly [CheckedRequest, Rules | undefined])[] = [];
  const adapters = adaptersOf(async (request, rules): Promise<Outcome> => {
    seen.push([request, rules]);
    return request.authorization === 'Bearer good' ? { token: TOKEN } : { refusal: REFUSAL };
  });
  return { seen, adapters };
}

function response() {
  const sent = { statusCode: 200, headers: new Map<string, string>(), body: undefined as string | undefined };
  const target: NodeResponse = {
    set statusCode(value: number) {
      sent.statusCode = value;
    },
    get statusCode() {
      return sent.statusCode;
    },
    setHeader: (name, value) => sent.headers.set(name, value),
    end: (body) => void (sent.body = body),
  };
  return { sent, target };
}

const raw = Buffer.from('certificate');
const socket = { getPeerCertificate: () => ({ raw }) };
const requestOf = (authorization: string) => ({
  method: 'POST',
  url: '/orders?a=b',
  headers: { authorization, dpop: 'proof' },
  socket,
});
const EXPECTED = { method: 'POST', url: '/orders?a=b', dpop: 'proof', certificate: raw };

const assertRefused = ({ sent }: ReturnType<typeof response>): void => {
  assert.deepEqual(
    [sent.statusCode, Object.fromEntries(sent.headers), sent.body],
    [401, REFUSAL.headers, REFUSAL.body],
  );
};

test('node:http: the token is returned, or the refusal is sent and nothing is returned', async () => {
  const { seen, adapters } = world();
  assert.equal(await adapters.node(requestOf('Bearer good'), response().target, RULES), TOKEN);
  assert.deepEqual(seen, [[{ ...EXPECTED, authorization: 'Bearer good' }, RULES]]);
  const refused = response();
  assert.equal(await adapters.node(requestOf('Bearer bad'), refused.target), undefined);
  assertRefused(refused);
});

test('Express: the token is request.token and next is called; a refusal ends the request; the whole path counts', async () => {
  const { seen, adapters } = world();
  const middleware = adapters.express(RULES);
  const called: unknown[] = [];
  const request: ExpressRequest = { ...requestOf('Bearer good'), url: '/', originalUrl: '/orders?a=b' };
  await middleware(request, response().target, (failure) => called.push(failure));
  assert.deepEqual([request.token, called], [TOKEN, [undefined]]);
  assert.deepEqual(seen[0]?.[0], { ...EXPECTED, authorization: 'Bearer good' });
  const refused = response();
  await middleware(requestOf('Bearer bad'), refused.target, () => assert.fail('next was called'));
  assertRefused(refused);
});

test('Fastify: the token is request.token; a refusal is the reply', async () => {
  const { adapters } = world();
  const hook = adapters.fastify(RULES);
  const sent: unknown[] = [];
  const reply = {
    code: (status: number) => (sent.push(status), reply),
    headers: (headers: object) => (sent.push(headers), reply),
    send: (body: string) => (sent.push(body), reply),
  };
  const request: FastifyRequest = { raw: requestOf('Bearer good') };
  assert.equal(await hook(request, reply), undefined);
  assert.deepEqual([request.token, sent], [TOKEN, []]);
  assert.equal(await hook({ raw: requestOf('Bearer bad') }, reply), reply);
  assert.deepEqual(sent, [401, REFUSAL.headers, REFUSAL.body]);
});

test('Hono: the token is in the context; a refusal is the response; a certificate of the connection is seen', async () => {
  const { seen, adapters } = world();
  const middleware = adapters.hono(RULES);
  const context = (authorization: string) => {
    const set: unknown[] = [];
    const asked = new Request('http://internal/orders', { headers: { authorization, dpop: 'proof' } });
    return {
      req: { raw: asked },
      env: { incoming: { socket } },
      set: (...given: unknown[]) => void set.push(given),
      given: set,
    };
  };
  const good = context('Bearer good');
  let isPassed = false;
  assert.equal(await middleware(good, async () => void (isPassed = true)), undefined);
  assert.deepEqual([isPassed, good.given], [true, [['token', TOKEN]]]);
  assert.deepEqual([seen[0]?.[0].certificate, seen[0]?.[0].dpop], [raw, 'proof']);
  const refused = await middleware(context('Bearer bad'), async () => assert.fail('next was called'));
  assert.deepEqual([refused?.status, await refused?.text()], [401, REFUSAL.body]);
});

test('a web-standard request: the token, or the response that refuses', async () => {
  const { adapters } = world();
  const ask = async (authorization: string) =>
    await adapters.request(
      new Request('https://api.example.com/orders', { headers: { authorization } }),
      RULES,
    );
  assert.deepEqual(await ask('Bearer good'), { token: TOKEN });
  const refused = await ask('Bearer bad');
  assert.ok('response' in refused);
  assert.deepEqual(
    [
      refused.response.status,
      refused.response.headers.get('www-authenticate'),
      await refused.response.text(),
    ],
    [401, 'Bearer', REFUSAL.body],
  );
});

test('two values of one header count as one that is wrong', async () => {
  const { seen, adapters } = world();
  await adapters.node({ headers: { authorization: 'Bearer good', dpop: ['one', 'two'] } }, response().target);
  assert.equal(seen[0]?.[0].dpop, 'one, two');
});
