import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { openProgramRows } from '../program/program-rows.ts';
import type { Part, RawAnswer } from '../program/raw-socket.ts';
import { converse } from '../program/raw-socket.ts';
import type { Program, StartOptions } from '../program/start.ts';
import { startProgram } from '../program/start.ts';
import { assertDescribedAnswer } from './described-answers.ts';

/** Stands in request bodies; no refusal and no line of the log may hold it. */
export const CANARY = 'canary-7Qx';

/** One second is the aim (I2); other work shares the machine that the tests run on. */
const HEALTH_TIMEOUT_MS = 20_000;

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  /** Sent as `Authorization: Bearer …`. */
  readonly bearer?: string;
  /** Sent as `Authorization: …`. */
  readonly authorization?: string;
  /** Whole lines, each with its CR LF. */
  readonly headers?: string;
  readonly body?: string | Uint8Array;
  /** Instead of the body's own length; `none` sends no Content-Length. */
  readonly length?: number | 'none';
}

export interface Answer extends RawAnswer {
  /** The body as JSON where it is an object or array. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** The started program, and everything that was ever secret between it and the tests. */
export interface Attacked {
  readonly program: Program;
  readonly secrets: Set<string>;
  /** Sends one request over its own connection; what it answers must keep the invariants I1, I4, I5 and I7. */
  send(request: HostileRequest): Promise<Answer>;
  /** Sends all at once, each over its own connection; as `send` without I7. */
  sendAtOnce(requests: readonly HostileRequest[]): Promise<readonly Answer[]>;
  /** Bytes over one connection, as they are; answers are checked as those of `sendAtOnce`. */
  sendParts(parts: readonly Part[], answers: number): Promise<readonly Answer[]>;
  /** Returns the row counts that a refused request must not change (I7). */
  stored(): Promise<StoredRows>;
  /** GET /clients, however long it is. */
  list(): Promise<readonly ListedClient[]>;
  /** A value of the management listener's metrics. */
  metric(name: string): Promise<number>;
}

export interface ListedClient {
  readonly client_id: string;
}

export interface StoredRows {
  readonly clients: number;
  /** Grows with every change of any client. */
  readonly versions: number;
  readonly deleted: number;
  readonly accessTokens: number;
  readonly usedInitialTokens: number;
}

/**
 * Starts a program for the tests of this file; after each of them it must be alive and well (I2).
 * @param prepare what the tests need in it, done as soon as it has started.
 */
export function attackedProgram(
  options: StartOptions = {},
  prepare: (attacked: Attacked) => Promise<void> = async () => undefined,
): Attacked {
  let started: Program | undefined;
  let rows: Rows | undefined;
  let ended: number | string | undefined;
  const secrets = new Set<string>();
  const program = (): Program => started ?? assert.fail('the program is not started');
  before(async () => {
    // No row may vanish on its own while rows are counted.
    const environment = { CHANCERY_STORAGE_SWEEP_INTERVAL: '86400', ...options.environment };
    started = await startProgram({ ...options, environment });
    const watch = async ({ exited }: Program): Promise<void> => {
      ended = await exited;
    };
    void watch(started);
    secrets.add(started.masterToken).add(started.directToken).add(started.adminToken);
    rows = await openProgramRows(started.folder);
    await prepare(attacked);
  });
  afterEach(async () => {
    assert.equal(ended, undefined, 'the program has ended');
    const url = `${program().managementUrl}/health/live`;
    const health = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    assert.equal(health.status, 200, await health.text());
  });
  after(async () => {
    await rows?.close();
    await started?.stop();
  });
  const stored = (): Promise<StoredRows> => countRows(rows ?? assert.fail('the database is not open'));
  const exchange = async (request: HostileRequest): Promise<Answer> => {
    remember(secrets, request);
    const head = request.method === 'HEAD';
    const { answers, text } = await converse(program(), encode(request), { head });
    const last = answers.find(({ status }) => status >= 200);
    assert.ok(last, `no answer to ${request.method} ${request.path}: ${text}`);
    const answer = checked(secrets, last);
    assertDescribedAnswer(request.method, belowIssuer(program(), request.path), answer);
    return answer;
  };
  const attacked: Attacked = {
    get program() {
      return program();
    },
    secrets,
    stored,
    async send(request) {
      const before = await stored();
      const answer = await exchange(request);
      if (answer.status >= 400)
        assert.deepEqual(await stored(), before, 'I7: a refused request changed rows');
      return answer;
    },
    sendAtOnce: (requests) => Promise.all(requests.map(exchange)),
    async sendParts(parts, count) {
      const { answers } = await converse(program(), parts, { until: count, timeout_ms: 20_000 });
      return answers.map((answer) => checked(secrets, answer));
    },
    async metric(name) {
      const text = await (await fetch(`${program().managementUrl}/metrics`)).text();
      const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
      return Number(value ?? assert.fail(`no metric ${name}`));
    },
    async list() {
      const headers = { authorization: `Bearer ${program().masterToken}` };
      const response = await fetch(`${program().url}/clients`, { headers });
      assert.equal(response.status, 200);
      return (await response.json()) as readonly ListedClient[];
    },
  };
  return attacked;
}

/** The request as it goes over the wire. */
export function encode(request: HostileRequest): Part[] {
  const { method, path, bearer, headers = '', body, length } = request;
  const authorization = request.authorization ?? (bearer === undefined ? undefined : `Bearer ${bearer}`);
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const size = length ?? (bytes === undefined && method === 'GET' ? 'none' : (bytes?.length ?? 0));
  const lines = [
    `${method} ${path} HTTP/1.1\r\nHost: h.test\r\n`,
    authorization === undefined ? '' : `Authorization: ${authorization}\r\n`,
    size === 'none' ? '' : `Content-Length: ${size}\r\n`,
    headers,
    '\r\n',
  ];
  return bytes === undefined ? [lines.join('')] : [lines.join(''), bytes];
}

/** Returns the path without that of the issuer. */
function belowIssuer({ issuer }: Program, path: string): string {
  const own = new URL(issuer).pathname.replace(/\/$/u, '');
  return path.startsWith(`${own}/`) ? path.slice(own.length) : path;
}

function remember(secrets: Set<string>, { bearer, authorization }: HostileRequest): void {
  // Short junk such as `x` would be found in any text.
  for (const secret of [bearer, authorization]) {
    if (secret !== undefined && secret.length >= 16) secrets.add(secret);
  }
}

const SECRET_MEMBERS = /"(?:client_secret|registration_access_token|access_token)":"([^"]+)"/g;
const INSIDES =
  /node_modules|\.ts:|\.js:|\n\s+at |fastify|FST_ERR|HPE_[A-Z_]{4}|SQLITE|sqlite|postgres|SQLSTATE|relation |\/work\/|\/tmp\//;

function checked(secrets: Set<string>, raw: RawAnswer): Answer {
  const body = Buffer.from(raw.body, 'latin1').toString('utf8');
  const { status, headers } = raw;
  assert.ok(status < 500 || (status === 503 && 'retry-after' in headers), `I1: ${status}`);
  assert.equal(headers['set-cookie'], undefined);
  const issued = [...body.matchAll(SECRET_MEMBERS)].map(([, secret = '']) => secret);
  for (const secret of issued) secrets.add(secret);
  if (issued.length > 0) {
    assert.equal(headers['cache-control'], 'no-store', 'I5');
    assert.equal(headers['pragma'], 'no-cache', 'I5');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
  if (status >= 400) checkRefusal(secrets, body, headers);
  return { ...raw, body, json: asObject(body) };
}

/** I4, and RFC 6749 §5.2: "error_description … MUST NOT include characters outside the set %x20-21 / %x23-5B / %x5D-7E". */
function checkRefusal(secrets: Set<string>, body: string, headers: RawAnswer['headers']): void {
  const all = `${body}\n${headers['www-authenticate'] ?? ''}`;
  assert.doesNotMatch(all, INSIDES, 'I4');
  assert.ok(!all.includes(CANARY), `I4: an echo: ${all}`);
  for (const secret of secrets) assert.ok(!all.includes(secret), 'I4: a secret');
  if (body === '') return;
  if (headers['content-type'] === 'application/problem+json') return checkProblem(body);
  const { error, error_description } = asObject(body);
  assert.match(String(error), /^[a-z_]+$/);
  assert.match(String(error_description), /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,600}$/);
}

/** RFC 9457 §3.1: the members of problem details, as the administration answers. */
function checkProblem(body: string): void {
  const { type, detail, instance } = asObject(body);
  assert.match(String(type), /^(?:urn:chancery:problem:[a-z_]+|about:blank)$/);
  assert.match(String(detail), /^\P{Cc}{1,2000}$/u);
  assert.match(String(instance), /^urn:chancery:request:[\w-]+$/);
}

function asObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

type Rows = Awaited<ReturnType<typeof openProgramRows>>;

async function countRows(rows: Rows): Promise<StoredRows> {
  const [row] = await rows.ask(
    `SELECT (SELECT count(*) FROM client) AS clients,
      (SELECT coalesce(sum(version), 0) FROM client) AS versions,
      (SELECT count(*) FROM deleted_client) AS deleted,
      (SELECT count(*) FROM access_token) AS "accessTokens",
      (SELECT count(*) FROM initial_access_token WHERE used_at IS NOT NULL) AS "usedInitialTokens"`,
  );
  const count = (name: keyof StoredRows): number => Number(row?.[name]);
  return {
    clients: count('clients'),
    versions: count('versions'),
    deleted: count('deleted'),
    accessTokens: count('accessTokens'),
    usedInitialTokens: count('usedInitialTokens'),
  };
}
