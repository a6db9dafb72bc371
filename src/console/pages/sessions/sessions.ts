import type { VNode } from 'preact';
import type { AuditEvent } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { badge } from '../../view/controls.ts';
import { a, code, div, span } from '../../view/elements.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { pageHead, tabs } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { consentList, grantList, sessionList, tokenList } from './lists.ts';

/** Shows the present sessions, and the sign-ins that were made or refused. */
export function sessions([tab = '']: readonly string[]): VNode {
  const isSignIns = tab === 'sign-ins' && may('admin:audit:read');
  return div(
    null,
    pageHead({ title: t('sessions'), lead: t('sessions.lead') }),
    tabs(t('sessions'), [
      { to: href(['sessions']), label: t('sessions.present'), current: !isSignIns },
      ...(may('admin:audit:read')
        ? [{ to: href(['sessions', 'sign-ins']), label: t('sign_ins'), current: isSignIns }]
        : []),
    ]),
    isSignIns ? signIns() : sessionList({}),
  );
}

const SIGN_INS = ['session.create', 'sign-in.refuse', 'account.locked', 'session.end'];

function signIns(): VNode {
  return listPage<AuditEvent>({
    label: t('sign_ins'),
    filters: [
      {
        name: 'action',
        label: t('refusals.action'),
        choices: SIGN_INS.map((value) => ({ value, label: tWord('audit.action', value) })),
      },
      { name: 'sub', label: t('people.sub') },
      { name: 'address', label: t('sign_ins.address') },
    ],
    load: async (query) =>
      (await api.adminAuditList({
        query: { action: 'session.create', sort: '-at', ...query },
      })) as ItemPage<AuditEvent>,
    keyOf: ({ id }) => id,
    columns: () => [
      {
        label: t('refusals.action'),
        cell: ({ action, outcome }) =>
          badge(
            tWord('audit.action', action),
            outcome === 'done' && action === 'session.create' ? 'good' : 'warn',
          ),
      },
      {
        label: t('people.person'),
        cell: ({ sub }) => (sub === null ? null : a({ href: href(['accounts', sub]) }, code(null, sub))),
      },
      {
        label: t('sign_ins.address'),
        cell: ({ address }) => (address === null ? null : code(null, address)),
      },
      { label: t('sign_ins.agent'), cell: ({ user_agent }) => span({ class: 'muted small' }, user_agent) },
      { label: t('refusals.at'), cell: ({ at }) => when(at) },
    ],
    empty: { icon: 'session', title: t('sign_ins.none') },
  });
}

const GRANT_TABS = [
  ['', 'grants', grantList],
  ['consents', 'consents', consentList],
  ['tokens', 'tokens', tokenList],
] as const;

/** Shows the grants and consents of people, and their tokens. */
export function grants([tab = '']: readonly string[]): VNode {
  const [current, , show] = GRANT_TABS.find(([name]) => name === tab) ?? GRANT_TABS[0];
  return div(
    null,
    pageHead({ title: t('grants'), lead: t('grants.lead') }),
    tabs(
      t('grants'),
      GRANT_TABS.map(([name, label]) => ({
        to: href(['grants', ...(name === '' ? [] : [name])]),
        label: t(label),
        current: name === current,
      })),
    ),
    div({ key: current }, show({})),
  );
}
