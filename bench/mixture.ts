import { registrationOrder } from './benchmarks/registration.ts';
import { tokenOrder } from './benchmarks/token.ts';
import { introspectionWithBasic } from './introspection-load.ts';
import type { LoadOrder } from './load.ts';
import type { Caller, Ours } from './ours.ts';

/** Each token is good for one revocation. */
export const revocationOrder = (port: number, caller: Caller, tokens: readonly string[]): LoadOrder =>
  introspectionWithBasic(port, caller, tokens, '/token/revoke');

/** The program under the mixture, and the tokens that it is asked about and that are revoked. */
export type MixtureTarget = Pick<Ours, 'program' | 'caller' | 'tokens' | 'manyTokens'> & {
  /** Says where the program's storage is, if it is not in its folder. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** Returns the parts of a mixture. It revokes this many of the server's many tokens. */
export function mixedOrders(
  { program: { port }, caller, tokens, manyTokens }: MixtureTarget,
  revocations: number,
): Readonly<Record<'introspection' | 'token' | 'registration' | 'revocation', LoadOrder>> {
  return {
    introspection: introspectionWithBasic(port, caller, tokens),
    token: tokenOrder(port, caller),
    registration: registrationOrder(port),
    revocation: revocationOrder(port, caller, manyTokens.slice(0, revocations)),
  };
}

/** Returns a hundred kinds of requests, each as often as its share says and evenly spread. */
export function spread<Kind extends string>(shares: Readonly<Record<Kind, number>>): readonly Kind[] {
  const kinds = Object.keys(shares) as Kind[];
  const sent = new Map(kinds.map((kind) => [kind, 0]));
  const behind = (kind: Kind): number => (sent.get(kind) ?? 0) / shares[kind];
  return Array.from({ length: 100 }, () => {
    const next = kinds.reduce((least, kind) => (behind(kind) < behind(least) ? kind : least));
    sent.set(next, (sent.get(next) ?? 0) + 1);
    return next;
  });
}
