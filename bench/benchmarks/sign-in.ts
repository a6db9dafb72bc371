import assert from 'node:assert/strict';
import { freePort } from '../../test/program/free-port.ts';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { basic, httpSubject, requestHead, requests } from '../http-subject.ts';
import type { Caller } from '../ours.ts';
import { PEER } from '../peers/oidc-provider.ts';
import { messageFrom, startScript, stopChild } from '../processes/measured-process.ts';
import type { SignInPeerOptions } from '../processes/oidc-provider-sign-in.ts';
import { signatureLimit } from '../signature-limit.ts';
import { REDIRECT_URI, type SignedInServer, startSignedIn, VERIFIER } from '../signed-in.ts';
import type { Bench, Benchmark, Scale, Subject } from '../subject.ts';

/** More answers a second than one CPU gives: every request is good once, and the load must not run out of them. */
const RATES_MAX = { RS256: 4_000, ES256: 10_000 };
const PEER_CLIENT = { client_id: 'peer', client_secret: 'secret-of-the-peer-0123456789abcdef0123456789' };

interface Exchange {
  readonly title: string;
  /** The algorithm of the ID token. oidc-provider is compared at RS256. */
  readonly alg: 'RS256' | 'ES256';
  /** The least share of what one core signs alone. */
  readonly aim?: number;
  /** Makes values that are good once. */
  readonly take: (server: SignedInServer, count: number) => Promise<readonly string[]>;
  readonly takeFromPeer: (issued: Issued) => readonly string[];
  readonly body: (value: string) => string;
  readonly peerBody: (value: string) => string;
}

interface Issued {
  readonly codes: readonly string[];
  readonly refreshTokens: readonly string[];
}

export const codeBody = (code: string, more = ''): string =>
  `grant_type=authorization_code&code=${code}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}${more}`;
export const refreshBody = (token: string): string => `grant_type=refresh_token&refresh_token=${token}`;

const CODE_EXCHANGE: Exchange = {
  title: 'Code to tokens: access, refresh and ID token, RS256 (RFC 6749 §4.1.3)',
  alg: 'RS256',
  aim: 0.7,
  take: async (server, count) => await server.codes(count),
  takeFromPeer: ({ codes }) => codes,
  body: (code) => codeBody(code, `&code_verifier=${VERIFIER}`),
  peerBody: (code) => codeBody(code),
};

const CODE_EXCHANGE_ES256: Exchange = {
  ...CODE_EXCHANGE,
  title: 'Code to tokens: access, refresh and ID token, ES256 (RFC 6749 §4.1.3)',
  alg: 'ES256',
  aim: 0.4,
};

const REFRESH: Exchange = {
  title: 'Refresh with rotation: access, refresh and ID token, RS256 (RFC 6749 §6)',
  alg: 'RS256',
  take: async (server, count) => await server.refreshTokens(count),
  takeFromPeer: ({ refreshTokens }) => refreshTokens,
  body: refreshBody,
  peerBody: refreshBody,
};

function verifyTokens({ status, body }: RawAnswer): void {
  assert.equal(status, 200, body);
  const tokens = JSON.parse(body) as Readonly<Record<string, unknown>>;
  for (const name of ['access_token', 'refresh_token', 'id_token'])
    assert.equal(typeof tokens[name], 'string', name);
}

export const exchangeHead = ({ client_id, client_secret }: Caller): string =>
  requestHead('POST', '/token', {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: basic(client_id, client_secret),
  });

/** Enough for every round, the one that warms up, and the beginnings that are not counted. */
function needed({ rounds, round_ms }: Scale, alg: Exchange['alg']): number {
  return Math.ceil((rounds + 1) * (round_ms / 1000 + 0.5) * RATES_MAX[alg]) + 1;
}

function exchange(wanted: Exchange): Benchmark {
  const { title, alg, aim, take, body } = wanted;
  const signatures = `${alg} signatures alone, one core`;
  return {
    name: 'sign-in',
    title,
    unit: 'per second',
    needsTokens: false,
    aims: [{ against: PEER }, ...(aim === undefined ? [] : [{ against: signatures, atLeast: aim }])],
    rounds: (scale) => scale.rounds,
    async open(bench) {
      const count = needed(bench.scale, alg);
      const server = await startSignedIn(bench.folder, { id_token_signed_response_alg: alg });
      const { program, caller } = server;
      const values = await take(server, count);
      const ours = await httpSubject(
        bench,
        { name: 'ours, SQLite, durable', pid: program.pid, close: async () => await program.stop() },
        { port: program.port, requests: requests(exchangeHead(caller), values.map(body)), once: true },
        verifyTokens,
      );
      return [
        ours.subject,
        signatureLimit(bench, signatures, { act: 'sign', alg }),
        ...(alg === 'RS256' ? [await peer(bench, count, wanted)] : []),
      ];
    },
  };
}

async function peer(
  bench: Bench,
  count: number,
  { takeFromPeer: take, peerBody: body }: Exchange,
): Promise<Subject> {
  const port = await freePort();
  const options: SignInPeerOptions = {
    port,
    ...PEER_CLIENT,
    redirect_uri: REDIRECT_URI,
    codes: take === CODE_EXCHANGE.takeFromPeer ? count : 0,
    refreshTokens: take === REFRESH.takeFromPeer ? count : 0,
  };
  const child = startScript('oidc-provider-sign-in.ts', options);
  const values = take(await messageFrom<Issued>(child));
  const subject = await httpSubject(
    bench,
    { name: PEER, pid: child.pid ?? 0, close: async () => await stopChild(child) },
    { port, requests: requests(exchangeHead(PEER_CLIENT), values.map(body)), once: true },
    verifyTokens,
  );
  return subject.subject;
}

export const codeExchange = exchange(CODE_EXCHANGE);
export const codeExchangeES256 = exchange(CODE_EXCHANGE_ES256);
export const refresh = exchange(REFRESH);
