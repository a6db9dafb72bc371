import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument, Operation } from '../../src/endpoints/open-api/open-api-document.ts';
import { attackedProgram, type HostileRequest } from './attacked-program.ts';

/** docs/contract/hostile/api-description.md. H-470 is in key-set.program.test.ts, whose server has the defaults. */
const attacked = attackedProgram({ environment: { CHANCERY_OPENAPI_ENABLED: 'true' } });
const request = { method: 'GET', path: '/openapi.json' };

async function document(): Promise<OpenApiDocument> {
  return (await attacked.send(request)).json as unknown as OpenApiDocument;
}

/** Credentials and bodies of a caller who knows nothing but the description. */
const GUESSES: readonly Partial<HostileRequest>[] = [
  {},
  { bearer: 'guess' },
  { authorization: 'Basic Z3Vlc3M6Z3Vlc3M=' },
  { headers: 'Content-Type: application/json\r\n', body: '[{"a":1},' },
  { headers: 'Content-Type: application/json\r\n', body: '{"redirect_uris":[1],"scope":{}}' },
  { headers: 'Content-Type: application/x-www-form-urlencoded\r\n', body: 'a=%zz&token=x&token=y' },
];

test('H-471 the description names the configured issuer, whatever a request says, and holds no secret and no other tenant', async () => {
  const plain = await attacked.send(request);
  assert.equal(plain.status, 200);
  assert.deepEqual((plain.json as unknown as OpenApiDocument).servers, [{ url: attacked.program.issuer }]);
  for (const secret of attacked.secrets) assert.ok(!plain.body.includes(secret));
  const variants: readonly HostileRequest[] = [
    { ...request, headers: 'X-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\n' },
    { ...request, headers: 'Accept: text/html\r\nRange: bytes=0-9\r\n' },
    { ...request, bearer: attacked.program.masterToken },
    { ...request, path: '/openapi.json?issuer=https://evil.example&callback=alert' },
  ];
  for (const variant of variants) {
    const { status, body } = await attacked.send(variant);
    assert.deepEqual([status, body], [200, plain.body]);
  }
});

test('H-472 every described address, pages apart, answers every guess with a described refusal: status, code, media type and members', async () => {
  const { paths } = await document();
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
  // Pages give cookies to anyone. The rows of sign-in and logout are about them.
  const operations = described.filter(
    ({ operation }) => !JSON.stringify(operation.responses).includes('text/html'),
  );
  assert.ok(operations.length > 20, String(operations.length));
  for (const { path, method, operation } of operations) {
    const guesses = method === 'get' || method === 'delete' ? GUESSES.slice(0, 3) : GUESSES;
    const answers = await attacked.sendAtOnce(
      guesses.map((guess) => ({
        ...guess,
        method: method.toUpperCase(),
        path: path.replace('{id}', 'guess'),
      })),
    );
    for (const { status } of answers)
      assert.ok(
        status < 500 && (String(status) in operation.responses || status >= 404),
        `${method} ${path}: ${status}`,
      );
  }
});

test('H-473 other methods and other spellings of the address do not reach the description', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const { status, headers } = await attacked.send({ ...request, method, body: '{}' });
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD, OPTIONS']);
  }
  for (const path of [
    '/openapi.json/',
    '/OpenAPI.json',
    '/%6fpenapi.json',
    '/openapi.yaml',
    '/x/../openapi.json',
  ])
    assert.equal((await attacked.send({ method: 'GET', path })).status, 404, path);
});
