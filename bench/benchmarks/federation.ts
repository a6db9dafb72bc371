import assert from 'node:assert/strict';
import { CompactSign } from 'jose';
import { testKey } from '../../src/testing/jwt.ts';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { type FederatedProgram, federatedProgram, registrationRequest } from '../federation-members.ts';
import { httpSubject } from '../http-subject.ts';
import type { Bench, Benchmark, Figure, Subject } from '../subject.ts';

const KEPT_S = 3600;
const MEMBERS = 200;
/** More registrations than a server answers in a millisecond of a round. */
const PER_MILLISECOND_MAX = 1.5;
const SIGNING = 'RS256 signatures alone';

function verify({ status, body }: RawAnswer): void {
  assert.equal(status, 200, body);
}

/** Measures registrations of members again and again: no statement of a superior is fetched in a round. */
export const federationRegistration: Benchmark = {
  name: 'federation',
  title: 'Explicit registration through one intermediate whose statements are kept',
  unit: 'per second',
  needsTokens: false,
  aims: [
    { of: 'cpu_us_beside', against: SIGNING, atMost: 2000 },
    { of: 'cpu', against: 'another checkout (--against)', atLeast: 1 },
  ],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const ours = await subject(bench, 'ours, SQLite, durable');
    const other =
      bench.against === undefined
        ? []
        : [await subject(bench, 'another checkout (--against)', bench.against)];
    return [ours, ...other, signing(bench)];
  },
};

async function subject(bench: Bench, name: string, checkout?: string): Promise<Subject> {
  const federated = await federatedProgram(bench, name, { keptFor: KEPT_S, checkout });
  const { program } = federated;
  const close = async (): Promise<void> => await federated.close();
  const order = { port: program.port, requests: requestsOf(bench, federated), once: true };
  return (await httpSubject(bench, { name, pid: program.pid, close }, order, verify)).subject;
}

function requestsOf(
  { scale }: Bench,
  federated: FederatedProgram,
): readonly ReturnType<typeof registrationRequest>[] {
  const count = Math.ceil((scale.rounds + 1) * (scale.round_ms + 500) * PER_MILLISECOND_MAX);
  return Array.from({ length: count }, (_, number) =>
    registrationRequest(federated, federated.member(number % MEMBERS)),
  );
}

/** The signature of an answer, as the server makes it: the part of a registration that cannot be saved. */
function signing({ scale }: Bench): Subject {
  const { privateKey } = testKey('RS256', 'signing');
  const claims = Buffer.from(JSON.stringify({ metadata: 'x'.repeat(1000) }));
  return {
    name: SIGNING,
    async measure(): Promise<Figure> {
      const [begun, before] = [performance.now(), process.cpuUsage()];
      let signed = 0;
      while (performance.now() - begun < scale.round_ms) {
        await new CompactSign(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
        signed += 1;
      }
      const seconds = (performance.now() - begun) / 1000;
      const { user, system } = process.cpuUsage(before);
      return { value: signed / seconds, serverCpu: (user + system) / 1e6 / seconds };
    },
    close: async () => undefined,
  };
}
