import type { VNode } from 'preact';
import type { AdminInitialAccessToken } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { useLoaded } from '../../state/load.ts';
import { t, tCount, tWord } from '../../state/messages.ts';
import { badge } from '../../view/controls.ts';
import { code, component, details, li, p, span, summary, ul } from '../../view/elements.ts';
import { card, empty, failed, skeleton } from '../../view/page.ts';
import { clientOf, TONES } from './shown-token.ts';

const LIMIT = 200;

interface LineageProps {
  readonly version: number;
}

export const lineage = (props: LineageProps): VNode => component(Lineage, props);

/** Which label made which tokens, and which token made which client: a tree. */
function Lineage({ version }: LineageProps): VNode {
  const { value, problem, reload } = useLoaded(`lineage ${version}`, async () => {
    return await api.adminInitialAccessTokenList({ query: { limit: LIMIT } });
  });
  if (problem !== undefined) return card(undefined, failed(problem, reload), { flush: true });
  if (value === undefined) return card(undefined, skeleton(), { flush: true });
  const groups = byLabel(value.items as readonly AdminInitialAccessToken[]);
  if (groups.size === 0) return card(undefined, empty('token', t('iat.none')), { flush: true });
  return card(undefined, [
    value.next === undefined ? null : p({ class: 'muted' }, t('iat.lineage.part', LIMIT)),
    ul(
      { class: 'tree' },
      [...groups].map(([label, tokens]) =>
        li(
          { key: label },
          details(
            { open: groups.size <= 5 },
            summary(
              null,
              span({ class: 'title' }, label === '' ? t('iat.unnamed') : label),
              span({ class: 'muted small' }, ` ${tCount('iat.tokens', tokens.length)}`),
            ),
            ul(
              null,
              tokens.map((token) => li({ key: token.id }, branch(token))),
            ),
          ),
        ),
      ),
    ),
  ]);
}

/** Returns the tokens by their labels, in the order in which these first appear. */
function byLabel<Token extends { readonly label: string }>(
  tokens: readonly Token[],
): ReadonlyMap<string, readonly Token[]> {
  return Map.groupBy(tokens, ({ label }) => label);
}

function branch(token: AdminInitialAccessToken): VNode {
  const client = clientOf(token);
  return span(
    null,
    code(null, token.id),
    ' ',
    badge(tWord('iat.state', token.state), TONES[token.state]),
    client === null ? null : ul(null, li(null, client)),
  );
}
