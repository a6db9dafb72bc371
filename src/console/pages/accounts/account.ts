import type { VNode } from 'preact';
import type { AdminAccount, AdminPreview } from '../../../client/client.ts';
import { api, isAbsent } from '../../state/api.ts';
import { useLoaded } from '../../state/load.ts';
import { patchBetween } from '../../state/merge-patch.ts';
import { t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { badge, copyable } from '../../view/controls.ts';
import { component, div, pre, span } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { card, empty, failed, pageHead, skeleton, tabs } from '../../view/page.ts';
import { type EditedRecord, type RecordVersion, recordEditor } from '../../view/record-editor.ts';
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

const CLAIMS = 'claims';

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
      { to: place(''), label: t('client.summary'), current: current === undefined && tab !== CLAIMS },
      { to: place(CLAIMS), label: t('account.claims'), current: tab === CLAIMS },
      ...rows.map(([name, label]) => ({ to: place(name), label: t(label), current: name === current?.[0] })),
    ]),
    current !== undefined
      ? div({ key: current[0] }, current[2]({ sub }))
      : tab === CLAIMS
        ? claimsEditor({ ...value, reload })
        : summary(account),
  );
}

interface ClaimsProps {
  readonly account: AdminAccount;
  readonly etag: string;
  readonly reload: () => void;
}

/** Edits what ID tokens and the userinfo endpoint say about the person. */
const claimsEditor = ({ account: { sub, claims }, etag, reload }: ClaimsProps): VNode =>
  recordEditor({
    members: claims,
    etag,
    record: claimsOf(sub),
    mayEdit: may('admin:accounts'),
    label: t('account.claims.json'),
    rows: 12,
    words: {
      title: t('account.claims.title'),
      text: t('account.claims.text'),
      saved: t('account.claims.saved'),
    },
    reload,
  });

const claimsOf = (sub: string): EditedRecord => ({
  patchBetween,
  pointer: '/claims',
  preview: async ({ etag }, claims) =>
    (await api.adminAccountChange({
      sub,
      'if-match': etag,
      query: { dry_run: true },
      body: { claims },
    })) as AdminPreview,
  store: async ({ etag }, claims, reason) => {
    const answer = await api.call('adminAccountChange', {
      sub,
      'if-match': etag,
      body: { claims },
      ...reason,
    });
    return versionOf(answer.body as AdminAccount, answer.headers);
  },
  now: async () => {
    const { body, headers } = await api.call('adminAccountRead', { sub });
    return versionOf(body as AdminAccount, headers);
  },
});

const versionOf = ({ claims }: AdminAccount, headers: Headers): RecordVersion => ({
  members: claims,
  etag: headers.get('etag') ?? '*',
});

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
