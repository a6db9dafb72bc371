import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminInitialAccessToken } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { into, setting } from '../../state/into.ts';
import { t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action, badge } from '../../view/controls.ts';
import { code, component, div, span } from '../../view/elements.ts';
import { check } from '../../view/fields.ts';
import type { Column } from '../../view/list.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { pageHead, tabs } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { lineage } from './lineage.ts';
import { newToken } from './new-token.ts';
import { clientOf, TONES } from './shown-token.ts';

export const initialTokens = ([tab = '']: readonly string[]): VNode => component(InitialTokens, { tab });

const STATES = ['live', 'used', 'revoked', 'expired'] as const;

/** Initial access tokens: make one, see what became of each, revoke it with or without its client. */
function InitialTokens({ tab }: { readonly tab: string }): VNode {
  const isMaking = useSignal(false);
  const revoking = useSignal<AdminInitialAccessToken | undefined>(undefined);
  const version = useSignal(0);
  const changed = (): void => {
    version.value += 1;
  };
  return div(
    null,
    pageHead({
      title: t('iat'),
      lead: t('iat.lead'),
      actions: may('admin:tokens')
        ? action({
            label: t('iat.new'),
            icon: 'add',
            kind: 'primary',
            onClick: setting(isMaking, true),
          })
        : undefined,
    }),
    tabs(t('iat'), [
      { to: href(['initial-access-tokens']), label: t('iat.list'), current: tab !== 'lineage' },
      { to: href(['initial-access-tokens', 'lineage']), label: t('iat.lineage'), current: tab === 'lineage' },
    ]),
    tab === 'lineage'
      ? lineage({ version: version.value })
      : listPage<AdminInitialAccessToken>({
          label: t('iat'),
          search: { name: 'label', label: t('iat.search') },
          filters: [
            {
              name: 'state',
              label: t('state'),
              choices: STATES.map((value) => ({ value, label: tWord('iat.state', value) })),
            },
          ],
          load: async (query) =>
            (await api.adminInitialAccessTokenList({ query })) as ItemPage<AdminInitialAccessToken>,
          keyOf: ({ id }) => id,
          columns: () => columns(into(revoking)),
          empty: { icon: 'token', title: t('iat.none'), text: t('iat.none.text') },
          version: version.value,
        }),
    isMaking.value
      ? newToken({
          close: () => {
            isMaking.value = false;
            changed();
          },
        })
      : null,
    revoking.value === undefined
      ? null
      : component(Revocation, {
          token: revoking.value,
          close: setting(revoking, undefined),
          changed,
        }),
  );
}

function columns(
  revoke: (token: AdminInitialAccessToken) => void,
): readonly Column<AdminInitialAccessToken>[] {
  return [
    {
      label: t('iat.label'),
      cell: ({ id, label }) => [
        span({ class: 'title' }, label === '' ? t('iat.unnamed') : label),
        code({ class: 'sub' }, id),
      ],
    },
    { label: t('state'), cell: ({ state }) => badge(tWord('iat.state', state), TONES[state]) },
    { label: t('clients.client'), cell: clientOf },
    { label: t('client.created_at'), cell: ({ created_at }) => when(created_at) },
    { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
    {
      label: '',
      className: 'narrow end',
      cell: (token) =>
        mayRevoke(token)
          ? action({
              label: t('iat.revoke'),
              size: 'tiny',
              kind: 'danger-quiet',
              onClick: () => revoke(token),
            })
          : null,
    },
  ];
}

/** A used token is revoked with its client. */
const mayRevoke = ({ state, client }: AdminInitialAccessToken): boolean =>
  may('admin:tokens') &&
  (state === 'live' || (client !== null && client.state !== 'deleted' && may('admin:clients:write')));

interface RevocationProps {
  readonly token: AdminInitialAccessToken;
  readonly close: () => void;
  readonly changed: () => void;
}

function Revocation({ token: { id, label, client, state }, close, changed }: RevocationProps): VNode {
  const cascade = useSignal(state !== 'live');
  return confirmed({
    title: t('iat.revoke.title'),
    text: t(client === null ? 'iat.revoke.text' : 'iat.revoke.used'),
    name: label === '' ? id : label,
    label: t('iat.revoke'),
    more:
      client === null
        ? null
        : check({
            label: t('iat.cascade', client.client_id),
            checked: cascade.value,
            disabled: state !== 'live',
            onChange: into(cascade),
          }),
    close,
    act: async (reason) => {
      await api.adminInitialAccessTokenRevoke({ id, body: { cascade: cascade.value }, ...reason });
      toast(t('iat.revoked'));
      changed();
    },
  });
}
