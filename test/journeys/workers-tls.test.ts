import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../program/free-port.ts';
import {
  CERTIFIED,
  CLIENT_AUTHORITY,
  SERVER_AUTHORITY,
  SERVER_NAME,
  SUBJECT,
  servedFingerprint,
  startTlsProgram,
  type TlsProgram,
} from '../tls/tls-program.ts';

/** Two processes with TLS of their own, on a port for everybody and one that asks for certificates. */
const skip = process.platform === 'linux' ? false : 'SO_REUSEPORT as Linux has it';
let server: TlsProgram;
let mutualPort = 0;

before(async () => {
  if (skip !== false) return;
  mutualPort = await freePort();
  server = await startTlsProgram({
    CHANCERY_WORKERS: '2',
    CHANCERY_LISTEN_MTLS_PORT: String(mutualPort),
    CHANCERY_CLIENT_AUTHENTICATION_MTLS_ORIGIN: `https://${SERVER_NAME}:${mutualPort}`,
    CHANCERY_LISTEN_TLS_RELOAD_INTERVAL: '1',
  });
});

after(async () => {
  if (skip === false) await server.stop();
});

const workers = (): readonly number[] => {
  const { pid } = server.program;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(/\s+/u)
    .filter(Boolean)
    .map(Number);
};

/** The numbers of the workers that have answered the token endpoint. */
async function askedWorkers(): Promise<ReadonlySet<string>> {
  const text = await (await fetch(`${server.program.managementUrl}/metrics`)).text();
  const lines = text.matchAll(
    /^chancery_http_requests_total\{worker="(\d+)",[^}]*status="200"[^}]*\} [1-9]/gmu,
  );
  return new Set([...lines].map(([, worker = '']) => worker));
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  assert.fail(`${what}\n${server.program.output()}`);
}

/** Returns the certificates that this number of new connections receive. */
async function shown(port: number, connections: number): Promise<ReadonlySet<string>> {
  const fingerprints = await Promise.all(Array.from({ length: connections }, () => servedFingerprint(port)));
  return new Set(fingerprints);
}

/** Enough that each of two workers gets one, but for a chance of two in a million million. */
const CONNECTIONS = 40;

test('two workers listen with TLS on both ports, and a certificate of a client counts whichever it comes to (ADR 24, RFC 8705)', {
  skip,
}, async () => {
  const client_id = await server.register(CERTIFIED);
  const identity = CLIENT_AUTHORITY.issue(SUBJECT);
  const answers = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => server.token(client_id, identity, mutualPort)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal((await server.token(client_id, identity)).status, 401, 'the first port asks for none');
  assert.deepEqual(await askedWorkers(), new Set(['1', '2']));
});

test('new files are taken up by every worker, and by the successor of one that is killed while requests go on', {
  skip,
}, async () => {
  const { files, program } = server;
  const next = SERVER_AUTHORITY.issue({ names: [SERVER_NAME] });
  writeFileSync(files.key, next.key);
  writeFileSync(files.certificate, next.cert);
  const { fingerprint256 } = new X509Certificate(next.cert);
  const isNew = async (): Promise<boolean> => {
    const all = [...(await shown(program.port, CONNECTIONS)), ...(await shown(mutualPort, CONNECTIONS))];
    return all.every((found) => found === fingerprint256);
  };
  await until(isNew, 'a worker keeps the old certificate');

  const [victim = 0] = workers();
  const stop = new AbortController();
  let answered = 0;
  const failures: unknown[] = [];
  const asking = Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted) {
      try {
        const { status } = await server.call({ path: '/jwks.json' });
        assert.equal(status, 200);
        answered += 1;
      } catch (failure) {
        if (failure instanceof assert.AssertionError) throw failure;
        failures.push(failure);
      }
    }
  });
  process.kill(victim, 'SIGKILL');
  const before = answered;
  await until(
    async () => workers().length === 2 && !workers().includes(victim) && (await askedWorkers()).size === 2,
    'no successor that answers',
  );
  await until(async () => await Promise.resolve(answered > before + 20), 'nobody answers');
  stop.abort();
  await Promise.all(asking);
  // Requests in progress at the killed worker fail with it. Without a listener, failures would far exceed responses.
  assert.ok(failures.length <= answered, `${failures.length} failures: ${String(failures[0])}`);
  assert.ok(await isNew());
});
