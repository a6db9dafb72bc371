import assert from 'node:assert/strict';
import { TOKEN_EXCHANGE_GRANT } from '../../src/spec/grant-types.ts';
import { ACCESS_TOKEN_TYPE } from '../../src/spec/token-types.ts';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import type { Program } from '../../test/program/start.ts';
import { basic, httpSubject, requests } from '../http-subject.ts';
import type { LoadOrder } from '../load.ts';
import { type Caller, register } from '../ours.ts';
import { startHeld } from '../start-held.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';
import { tokenOrder, verifyIssued } from './token.ts';

const GATEWAY = 'https://gateway.example';
const LEDGER = 'https://ledger.example';
const ISSUED = 'client_credentials';
/** Tokens that are exchanged in turn. */
const ORIGINS = 1_000;

/** A service exchanges the tokens that it receives. A token of its own shows the price of the look at the other one. */
export const tokenExchange: Benchmark = {
  name: 'exchange',
  title: 'Token endpoint: a token exchanged for the next service (RFC 8693)',
  unit: 'per second',
  needsTokens: false,
  aims: [{ of: 'cpu', against: ISSUED }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const program = await startHeld({ environment: { CHANCERY_TOKEN_EXCHANGE_ENABLED: 'true' } });
    const gateway = await register(program, {
      grant_types: [TOKEN_EXCHANGE_GRANT, 'client_credentials'],
      scope: 'read',
      resource_identifiers: [GATEWAY],
      chancery_token_exchange: { audiences: [LEDGER] },
    });
    const stop = async (): Promise<void> => await program.stop();
    return [
      await subject(bench, program, await exchanging(program, gateway), verifyExchanged, stop),
      await subject(bench, program, tokenOrder(program.port, gateway), verifyIssued),
    ];
  },
};

async function subject(
  bench: Bench,
  { pid }: Program,
  order: LoadOrder,
  verify: (answer: RawAnswer) => void,
  close?: () => Promise<void>,
): Promise<Subject> {
  const name = close === undefined ? ISSUED : 'exchange';
  const server = { name, pid, close: close ?? (async () => undefined) };
  return (await httpSubject(bench, server, order, verify)).subject;
}

function verifyExchanged({ status, body }: RawAnswer): void {
  assert.equal(status, 200, body);
  assert.equal((JSON.parse(body) as { issued_token_type: unknown }).issued_token_type, ACCESS_TOKEN_TYPE);
}

async function exchanging({ url, port }: Program, gateway: Caller): Promise<LoadOrder> {
  const {
    head = '',
    requests: [own],
  } = tokenOrder(port, gateway);
  const authorization = basic(gateway.client_id, gateway.client_secret);
  const origins: string[] = [];
  while (origins.length < ORIGINS) {
    const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'read' });
    const response = await fetch(`${url}/token`, { method: 'POST', headers: { authorization }, body });
    origins.push(((await response.json()) as { access_token: string }).access_token);
  }
  const bodies = origins.map((subject_token) =>
    String(
      new URLSearchParams({
        grant_type: TOKEN_EXCHANGE_GRANT,
        subject_token,
        subject_token_type: ACCESS_TOKEN_TYPE,
        audience: LEDGER,
      }),
    ),
  );
  return { port, requests: requests(head + (own?.head ?? ''), bodies) };
}
