import { parseArgs } from 'node:util';
import { type RevokedToken, revokeInitialAccessToken } from '../../clients/revoke-initial-access-token.ts';
import type { InitialAccessToken } from '../../ports/access-token-store.ts';
import { CommandFailure } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { ACTOR, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { tokenNamed, tokenState } from './initial-access-token.ts';

/** Ends an initial access token; with `--cascade` also the client that it has made. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, cascade: { type: 'boolean', default: false } },
  });
  const [id = ''] = operands(positionals, ['ID']);
  const { config, mode, tenant, json, cascade } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { needs, request_id } = session;
    const find = async (): Promise<InitialAccessToken> => await tokenNamed(session, id);
    const by = { id, cascade, actor: ACTOR, request_id };
    const result = await revokeInitialAccessToken(needs, find, by);
    if (!result.revoked && result.deleted === undefined) {
      throw new CommandFailure(nothingToRevoke(await find(), cascade, needs.clock.now()));
    }
    context.print(json ? JSON.stringify({ id, ...result }) : sentence(id, result));
    return 0;
  });
};

function sentence(id: string, { revoked, deleted }: RevokedToken): string {
  return revoked ? `revoked ${id}` : `deleted ${deleted ?? ''}, which was registered with ${id}`;
}

function nothingToRevoke(token: InitialAccessToken, cascade: boolean, now: number): string {
  const state = tokenState(token, now);
  if (state === 'revoked') return 'the token was revoked before';
  if (state === 'expired') return 'the token has expired';
  const client = JSON.stringify(token.used_by_client_id);
  return cascade
    ? `the token was used for the client ${client}, which is gone already`
    : `the token was used for the client ${client}: --cascade deletes it`;
}
