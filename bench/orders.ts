import { assertedQuestions } from './benchmarks/introspection-callers.ts';
import { registrationOrder } from './benchmarks/registration.ts';
import { codeBody, exchangeHead, refreshBody } from './benchmarks/sign-in.ts';
import { tokenOrder } from './benchmarks/token.ts';
import { requests } from './http-subject.ts';
import { introspectionWithBasic } from './introspection-load.ts';
import type { LoadOrder } from './load.ts';
import { mixedOrders, revocationOrder, spread } from './mixture.ts';
import type { Ours } from './ours.ts';
import { signedInAt, VERIFIER } from './signed-in.ts';

/** The revocations of the mixture, taken from the end. */
const MIXED_REVOCATIONS = 20_000;

/** Questions about tokens that the server has not seen. */
export const ASKED_ONCE = 'introspection-once';

/** Names of loads, and the requests of each. A code exchange and a rotation have an ID token of ES256. */
export const ORDERS: Readonly<Record<string, (ours: Ours) => LoadOrder | Promise<LoadOrder>>> = {
  introspection: ({ program, caller, tokens }) => introspectionWithBasic(program.port, caller, tokens),
  [ASKED_ONCE]: ({ program, caller, manyTokens }) => introspectionWithBasic(program.port, caller, manyTokens),
  token: ({ program, caller }) => tokenOrder(program.port, caller),
  registration: ({ program }) => registrationOrder(program.port),
  revocation: ({ program, caller, manyTokens }) =>
    revocationOrder(program.port, caller, manyTokens.slice(0, -MIXED_REVOCATIONS)),
  mixture,
  assertion: async (ours) => await assertedQuestions(ours, ASSERTING, ours.tokens, ASSERTIONS),
  code: codeExchange,
  refresh: rotation,
};

/** Good once: enough for 60 slices. A run that needs more ends with the status 400 or 401. */
const ASSERTIONS = 100_000;
const CODES = 50_000;
const ASSERTING = 100;

const ES256 = { id_token_signed_response_alg: 'ES256' };

async function codeExchange({ program }: Ours): Promise<LoadOrder> {
  const signedIn = await signedInAt(program, ES256);
  const bodies = (await signedIn.codes(CODES)).map((code) => codeBody(code, `&code_verifier=${VERIFIER}`));
  return { port: program.port, requests: requests(exchangeHead(signedIn.caller), bodies) };
}

async function rotation({ program }: Ours): Promise<LoadOrder> {
  const signedIn = await signedInAt(program, ES256);
  const bodies = (await signedIn.refreshTokens(CODES)).map(refreshBody);
  return { port: program.port, requests: requests(exchangeHead(signedIn.caller), bodies) };
}

/** The mixture without refreshes. */
export const SHARES = { introspection: 91, token: 5, registration: 2, revocation: 2 } as const;

export type Kind = keyof typeof SHARES;

/** Sends the kinds in turn, evenly spread. */
function mixture(ours: Ours): LoadOrder {
  const orders = mixedOrders(ours, MIXED_REVOCATIONS);
  const sent: Record<Kind, number> = { introspection: 0, token: 0, registration: 0, revocation: 0 };
  const turns = Array.from({ length: MIXED_REVOCATIONS / SHARES.revocation }, () => spread(SHARES)).flat();
  const requests = turns.map((kind) => {
    const { head = '', requests: all } = orders[kind];
    const next = all[sent[kind] % all.length] ?? { head: '', body: '' };
    sent[kind] += 1;
    return { head: head + next.head, body: next.body };
  });
  return { port: ours.program.port, requests };
}
