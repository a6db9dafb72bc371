import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/program/free-port.ts';
import { basic, httpSubject, requestHead } from '../http-subject.ts';
import { FORM } from '../introspection-load.ts';
import { register } from '../ours.ts';
import { messageFrom, startScript, stopChild } from '../processes/measured-process.ts';
import type { Check, ProtectedApiOptions, StreamFault } from '../processes/protected-api.ts';
import type { Bench, Benchmark, Figure, Subject } from '../subject.ts';

const CHECKS: readonly Check[] = ['feed', 'none', 'introspection', 'openid-client, 10 s cache'];
const NAMES: Readonly<Record<Check, string>> = {
  feed: 'chancery/resource-server, feed',
  none: 'no check',
  introspection: 'chancery/resource-server, introspection',
  'openid-client, 10 s cache': 'openid-client, 10 s cache',
};
const TOKENS = 200;

/** An API that checks the token of each request: JWTs of 200 clients' calls, repeated. */
export const resourceServers: Benchmark = {
  name: 'resource-server',
  title: 'An API on node:http that checks the JWT of each request',
  unit: 'per second',
  needsTokens: false,
  aims: [
    { against: NAMES.none, atLeast: 0.6 },
    { against: NAMES.introspection, atLeast: 3 },
  ],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const issued = await issue(bench, TOKENS);
    const requests = issued.tokens.map((token) => ({
      head: requestHead('GET', '/', { authorization: `Bearer ${token}` }),
      body: '',
    }));
    const subjects: Subject[] = [];
    // One after the other: the load generator prepares one order at a time.
    for (const check of CHECKS) {
      const { pid, port, close } = await startApi(bench, check);
      const server = { name: NAMES[check], pid, close };
      const opened = await httpSubject(bench, server, { port, requests }, ({ status }) =>
        assert.equal(status, 200),
      );
      subjects.push(opened.subject);
    }
    return subjects;
  },
};

/** Revocations of one round: five rounds have a hundred. */
const REVOCATIONS = 20;
/** Each of them takes up to ten seconds. */
const REVOCATIONS_OF_CACHE = 2;

/** The longest time for which a revoked token was accepted. The highest of all rounds is the figure that counts. */
export const revokedAccepted: Benchmark = {
  name: 'resource-server',
  title: 'The longest time for which a revoked token was accepted',
  unit: 'milliseconds',
  needsTokens: false,
  aims: [{ atMost: 1000 }],
  rounds: (scale) => scale.rounds,
  open: async (bench) => [
    await revocationSubject(bench, 'feed', REVOCATIONS),
    await revocationSubject(bench, 'feed', REVOCATIONS, 'cut'),
    await revocationSubject(bench, 'feed', REVOCATIONS, 'freeze'),
    await revocationSubject(bench, 'introspection', REVOCATIONS),
    await revocationSubject(bench, 'openid-client, 10 s cache', REVOCATIONS_OF_CACHE),
  ],
};

const FAULT_NAMES: Readonly<Record<StreamFault, string>> = {
  cut: ', the stream is cut in each round',
  freeze: ', the stream freezes in each round',
};

async function revocationSubject(
  bench: Bench,
  check: Check,
  count: number,
  fault?: StreamFault,
): Promise<Subject> {
  const api = await startApi(bench, check);
  const measure = async (): Promise<Figure> => {
    const { tokens, revoke } = await issue(bench, count);
    for (const token of tokens) assert.equal(await statusOf(api.port, token), 200);
    let longest = 0;
    for (const [index, token] of tokens.entries()) {
      if (fault !== undefined && index === 1) api.fault(fault);
      await revoke(token);
      longest = Math.max(longest, await acceptedFor(api.port, token));
    }
    return { value: longest };
  };
  return {
    name: `${NAMES[check]}${fault === undefined ? '' : FAULT_NAMES[fault]}`,
    measure,
    close: api.close,
  };
}

/** Returns for how many milliseconds from now on requests with a token were accepted. */
async function acceptedFor(port: number, token: string): Promise<number> {
  const revoked = performance.now();
  let last = revoked;
  while (true) {
    const sent = performance.now();
    if ((await statusOf(port, token)) !== 200) return last - revoked;
    last = sent;
    await sleep(2);
  }
}

const statusOf = async (port: number, token: string): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { authorization: `Bearer ${token}` } });
  await answer.text();
  return answer.status;
};

interface Issued {
  readonly tokens: readonly string[];
  readonly revoke: (token: string) => Promise<void>;
}

/** Issues self-contained tokens. */
async function issue({ ours: { program } }: Bench, count: number): Promise<Issued> {
  const client = await register(program, {
    token_endpoint_auth_method: 'client_secret_basic',
    chancery_access_token_format: 'self-contained',
  });
  const headers = { ...FORM, authorization: basic(client.client_id, client.client_secret) };
  const post = async (path: string, form: Readonly<Record<string, string>>): Promise<Response> =>
    await fetch(`${program.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });
  const tokens: string[] = [];
  while (tokens.length < count) {
    const answer = await post('/token', { grant_type: 'client_credentials', scope: 'read' });
    tokens.push(((await answer.json()) as { readonly access_token: string }).access_token);
  }
  return {
    tokens,
    async revoke(token) {
      const answer = await post('/token/revoke', { token });
      assert.equal(answer.status, 200, await answer.text());
    },
  };
}

interface StartedApi {
  readonly port: number;
  readonly pid: number;
  readonly fault: (kind: StreamFault) => void;
  readonly close: () => Promise<void>;
}

async function startApi({ ours: { program, caller } }: Bench, check: Check): Promise<StartedApi> {
  const { client_id, client_secret } = caller;
  const port = await freePort();
  const options: ProtectedApiOptions = {
    check,
    port,
    issuer: program.issuer,
    url: program.url,
    client_id,
    client_secret,
  };
  const child = startScript('protected-api.ts', options);
  await messageFrom<'ready'>(child);
  return {
    port,
    pid: child.pid ?? 0,
    fault: (kind) => void child.send(kind),
    close: async () => await stopChild(child),
  };
}
