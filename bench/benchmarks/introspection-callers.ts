import { readFileSync } from 'node:fs';
import { signedAssertions } from '../client-assertions.ts';
import { basic, httpSubject } from '../http-subject.ts';
import { introspectionBy, introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import type { LoadOrder } from '../load.ts';
import { type Ours, register, startAnother } from '../ours.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

const BASIC = 'Basic, identifier';
/** More than can be verified in all the rounds: an assertion is good once. */
const ASSERTIONS_A_SECOND = 12_000;
const LEAD_MS = 400;

/** Who asks, and about which kind of token. The first is what the others are compared with. */
export const introspectionCallers: Benchmark = {
  name: 'introspection-callers',
  title: 'Introspection by caller and kind of token',
  unit: 'per second',
  needsTokens: true,
  aims: [],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program, caller, tokens, selfContained } = bench.ours;
    const port = program.port;
    const subject = async (name: string, order: LoadOrder): Promise<Subject> => {
      const server = { name, pid: program.pid, close: async () => undefined };
      return (await httpSubject(bench, server, order, verifyActive)).subject;
    };
    const authorization = `Bearer ${await accessTokenFor(bench.ours)}`;
    return [
      await subject(BASIC, introspectionWithBasic(port, caller, tokens)),
      await subject('bearer, identifier', introspectionBy(port, { authorization }, tokens)),
      await subject(
        'Basic, self-contained (seen before)',
        introspectionWithBasic(port, caller, selfContained),
      ),
      await subject('private_key_jwt (ES256), identifier', await byAssertions(bench)),
      await twoProcesses(bench),
      ...(await twoWorkers(bench)),
    ];
  },
};

async function accessTokenFor({ program, caller }: Ours): Promise<string> {
  const response = await fetch(`${program.url}/token`, {
    method: 'POST',
    headers: { authorization: basic(caller.client_id, caller.client_secret) },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: `${program.issuer}/token/introspect`,
    }),
  });
  if (response.status !== 200) throw new Error(`the token endpoint answered ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

async function byAssertions({ ours, scale }: Bench): Promise<LoadOrder> {
  const { program, tokens } = ours;
  const seconds = ((scale.rounds + 1) * (scale.round_ms + LEAD_MS)) / 1000;
  const { jwk, assertionsFor } = signedAssertions();
  const { client_id } = await register<{ client_id: string }>(program, {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [jwk] },
  });
  const assertions = assertionsFor(client_id, program.issuer, Math.ceil(seconds * ASSERTIONS_A_SECOND));
  const { requests, ...order } = introspectionBy(program.port, {}, tokens);
  return {
    ...order,
    once: true,
    requests: assertions.map((assertion, index) => ({
      head: '',
      body: `${requests[index % requests.length]?.body}&${assertion}`,
    })),
  };
}

/** Half of the connections each. On two CPUs both share the one that the load leaves. */
async function twoProcesses(bench: Bench): Promise<Subject> {
  const { program, caller, tokens } = bench.ours;
  const second = await startAnother(bench.folder);
  const { subject } = await httpSubject(
    bench,
    {
      name: 'Basic, identifier, two processes on one database',
      pid: program.pid,
      second: { pid: second.pid, port: second.port },
      close: async () => await second.stop(),
    },
    introspectionWithBasic(program.port, caller, tokens),
    verifyActive,
  );
  return subject;
}

/** Of one server, on one port: the kernel gives each connection to one of them. Only where Linux tells who they are. */
async function twoWorkers(bench: Bench): Promise<readonly Subject[]> {
  if (process.platform !== 'linux') return [];
  const { caller, tokens } = bench.ours;
  const server = await startAnother(bench.folder, { CHANCERY_WORKERS: '2' });
  const { pid, port } = server;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const [one, other] = children;
  if (one === undefined || other === undefined) throw new Error('two workers were asked for');
  const { subject } = await httpSubject(
    bench,
    {
      name: 'Basic, identifier, serve --workers 2',
      pid: one,
      second: { pid: other, port },
      close: async () => await server.stop(),
    },
    introspectionWithBasic(port, caller, tokens),
    verifyActive,
  );
  return [subject];
}
