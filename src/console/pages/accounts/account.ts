import type { VNode } from 'preact';
import type { AdminAccount } from '../../../client/client.ts';
import { api, isAbsent } from '../../state/api.ts';
import { useLoaded } from '../../state/load.ts';
import { t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { badge, copyable } from '../../view/controls.ts';
import { component, div, pre, span } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { card, empty, failed, pageHead, skeleton, tabs } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { consentList, grantList, sessionList, tokenList } from '../sessions/lists.ts';
import { accountActions } from './account-actions.ts';
import { fullNameOf } from './describe.ts';

interface AccountPageProps {
  readonly sub: string;
  readonly tab: string;
  readonly key: string;
}

export const accountPage = (props: AccountPageProps): VNode => component(AccountPage, props);

const TABS = [
  ['sessions', 'sessions', sessionList],
  ['grants', 'grants', grantList],
  ['consents', 'consents', consentList],
  ['tokens', 'tokens', tokenList],
] as const;

function AccountPage({ sub, tab }: AccountPageProps): VNode {
  const { value, problem, failure, reload } = useLoaded(sub, async () => {
    const { body, headers } = await api.call('adminAccountRead', { sub });
    return { account: body as AdminAccount, etag: headers.get('etag') ?? '*' };
  });
  const up = { to: href(['accounts']), label: t('accounts') };
  if (value === undefined) {
    const content = isAbsent(failure)
      ? empty('account', t('account.absent'))
      : problem === undefined
        ? skeleton()
        : failed(problem, reload);
    return div(null, pageHead({ title: sub, up }), card(undefined, content, { flush: true }));
  }
  const { account } = value;
  const rows = may('admin:sessions:read') ? TABS : [];
  const current = rows.find(([name]) => name === tab);
  const place = (name: string): string => href(['accounts', sub, ...(name === '' ? [] : [name])]);
  return div(
    null,
    pageHead({
      title: account.username,
      lead: fullNameOf(account),
      up,
      actions: accountActions({ ...value, reload }),
    }),
    tabs(t('accounts.account'), [
      { to: place(''), label: t('client.summary'), current: current === undefined },
      ...rows.map(([name, label]) => ({ to: place(name), label: t(label), current: name === current?.[0] })),
    ]),
    current === undefined ? summary(account) : div({ key: current[0] }, current[2]({ sub })),
  );
}

function summary(account: AdminAccount): VNode {
  const { sub, admin_role, disabled, disabled_at, has_password, created_at, updated_at, claims } = account;
  return div(
    { class: 'columns' },
    card(
      t('accounts.account'),
      facts([
        [t('people.sub'), copyable(sub)],
        [
          t('state'),
          disabled
            ? span({ class: 'badges' }, badge(t('accounts.state.disabled'), 'bad'), when(disabled_at))
            : badge(t('accounts.state.enabled'), 'good'),
        ],
        [t('accounts.role'), admin_role === null ? t('none') : badge(tWord('role', admin_role), 'accent')],
        [t('account.password'), t(has_password ? 'account.password.yes' : 'account.password.no')],
        [t('client.created_at'), when(created_at)],
        [t('account.updated_at'), when(updated_at)],
      ]),
    ),
    card(t('account.claims'), pre({ class: 'json' }, JSON.stringify(claims, undefined, 2))),
  );
}
