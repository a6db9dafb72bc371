import assert from 'node:assert/strict';
import { converse, type Part, type RawAnswer } from '../../test/program/raw-socket.ts';
import { StorageUnavailable } from '../ports/storage.ts';
import { ok, runHost } from '../testing/host.ts';
import { test } from '../testing/messages.ts';
import { BodyMemory } from './request-body.ts';

const POSTED = { method: 'POST', body: 'json' } as const;
const FULL = { body: 1000, bodies: new BodyMemory(1), header: 16_384 };

/** Refusals before any endpoint: a status, the request after its target, and the members that a caller reads. */
const REFUSALS: readonly (readonly [status: number, line: string, rest: string, code: string | undefined])[] =
  [
    [404, 'POST PREFIX/nothing/else', 'Host: h\r\n\r\n', 'not_found'],
    [405, 'PUT PREFIX/one', 'Host: h\r\nContent-Length: 0\r\n\r\n', undefined],
    [405, 'TRACE PREFIX/nothing', 'Host: h\r\n\r\n', undefined],
    [413, 'POST PREFIX/one', 'Host: h\r\nContent-Length: 2000\r\n\r\n', undefined],
    [417, 'POST PREFIX/one', 'Host: h\r\nExpect: more\r\nContent-Length: 1\r\n\r\n', undefined],
    [400, 'POST PREFIX/one', 'Host: h\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx', undefined],
    [400, 'POST PREFIX/one', 'Host: h\r\nHost: i\r\n\r\n', undefined],
    [400, 'POST PREFIX/one', 'Host: h\r\nBroken header\r\n\r\n', undefined],
    [431, 'POST PREFIX/one', `Host: h\r\nLong: ${'x'.repeat(20_000)}\r\n\r\n`, undefined],
    [400, 'POST PREFIX/one', 'Host: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', undefined],
  ];

function refusalOf(answers: readonly RawAnswer[], status: number, what: string): RawAnswer {
  const answer = answers.find((one) => one.status >= 200) ?? assert.fail(`no answer to ${what}`);
  assert.equal(answer.status, status, `${what}: ${answer.body}`);
  assert.equal(answer.headers['cache-control'], 'no-store');
  return answer;
}

function assertProblem({ headers, body }: RawAnswer, status: number, code: string | undefined): void {
  assert.equal(headers['content-type'], 'application/problem+json', body);
  const { type, title, detail, instance, ...rest } = JSON.parse(body) as Record<string, unknown>;
  assert.equal(type, code === undefined ? 'about:blank' : `urn:chancery:problem:${code}`);
  assert.ok(typeof title === 'string' && title !== '' && typeof detail === 'string' && detail !== '');
  assert.match(String(instance), /^urn:chancery:request:[0-9a-z]+-\d+$/);
  assert.deepEqual(rest, { status });
}

test('a refusal before an operation of the administration is problem details, below any issuer and prefix (RFC 9457)', async (t, messages) => {
  for (const prefix of ['/admin/v1', '/c2/admin/v1', '/s3cret/admin/v1']) {
    const { address } = await runHost(t, messages, () => ok, { ...POSTED, path: `${prefix}/{id}` });
    for (const [status, line, rest, code] of REFUSALS) {
      const sent = `${line.replace('PREFIX', prefix)} HTTP/1.1\r\n${rest}`;
      const { answers } = await converse(address, [sent]);
      const refused = refusalOf(answers, status, sent.slice(0, 60));
      assertProblem(refused, status, code);
      if (status === 405) assert.ok('allow' in refused.headers);
    }
  }
});

test('a refusal before any other endpoint keeps its form: error and error_description, and 404 without a body (decision 39)', async (t, messages) => {
  for (const prefix of ['/x', '/administrators/admin/v10', '/xadmin/v1']) {
    const { address } = await runHost(t, messages, () => ok, { ...POSTED, path: `${prefix}/{id}` });
    for (const [status, line, rest] of REFUSALS) {
      const sent = `${line.replace('PREFIX', prefix)} HTTP/1.1\r\n${rest}`;
      const { headers, body } = refusalOf(
        (await converse(address, [sent])).answers,
        status,
        sent.slice(0, 60),
      );
      if (status === 404) assert.equal(body, '');
      else assert.deepEqual(Object.keys(JSON.parse(body) as object), ['error', 'error_description']);
      assert.notEqual(headers['content-type'], 'application/problem+json');
    }
  }
});

test('bodies that fill their memory, and a fault of the server, are problem details in the administration', async (t, messages) => {
  const full = await runHost(t, messages, () => ok, { ...POSTED, path: '/admin/v1/{id}', limits: FULL });
  const parts: Part[] = ['POST /admin/v1/one HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n', 'xxxx'];
  const later = refusalOf((await converse(full.address, parts)).answers, 503, 'a body');
  assertProblem(later, 503, 'temporarily_unavailable');
  assert.equal(later.headers['retry-after'], '1');
  const handle = (): never => {
    throw new StorageUnavailable('/var/lib/secret is away');
  };
  const failing = await runHost(t, messages, handle, { path: '/admin/v1/{id}', errors: 'problem' });
  const { answers } = await converse(failing.address, ['GET /admin/v1/one HTTP/1.1\r\nHost: h\r\n\r\n']);
  const failed = refusalOf(answers, 500, 'a fault');
  assertProblem(failed, 500, 'server_error');
  assert.ok(!failed.body.includes('secret'));
});
