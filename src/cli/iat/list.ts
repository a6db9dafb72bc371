import type { InitialAccessToken } from '../../ports/access-token-store.ts';
import type { AccessTokenKey } from '../../spec/identifiers.ts';
import type { CommandContext } from '../commands.ts';
import { onRegistry } from '../on-registry.ts';
import { table, timeText } from '../table.ts';
import { tokenId, tokenState } from './initial-access-token.ts';

const PAGE = 100;
const HEADS = ['ID', 'LABEL', 'SCOPE', 'ISSUED', 'EXPIRES', 'STATE', 'USED', 'USED BY'];

/** Every initial access token on record, oldest first, and which client it made. */
export const run = onRegistry([], async ({ needs }, { json, context }) => {
  const now = needs.clock.now();
  const print = json ? jsonPrinter(context, now) : tablePrinter(context, now);
  let after: AccessTokenKey | undefined;
  while (true) {
    const page: readonly InitialAccessToken[] = await needs.accessTokens.store.pageInitial(after, PAGE);
    print(page);
    after = page.at(-1)?.key;
    if (page.length < PAGE) return;
  }
});

type Printer = (tokens: readonly InitialAccessToken[]) => void;

function jsonPrinter({ print }: CommandContext, now: number): Printer {
  return (tokens) => {
    for (const token of tokens) {
      const { label, scope, redirect_hosts, issued_at, expires_at, used_at, used_by_client_id, revoked_at } =
        token;
      const lineage = { used_at, used_by_client_id, revoked_at, state: tokenState(token, now) };
      const about = { id: tokenId(token), label, scope, redirect_hosts, issued_at, expires_at };
      print(JSON.stringify({ ...about, ...lineage }));
    }
  };
}

function tablePrinter({ print }: CommandContext, now: number): Printer {
  const lines = table(print, HEADS);
  return (tokens) =>
    lines.print(
      tokens.map((token) => [
        tokenId(token),
        token.label || '-',
        token.scope,
        timeText(token.issued_at, '-'),
        timeText(token.expires_at, '-'),
        tokenState(token, now),
        timeText(token.used_at, '-'),
        token.used_by_client_id ?? '-',
      ]),
    );
}
