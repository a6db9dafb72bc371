import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import type {
  AdminFederationMember,
  AdminFederationRefresh,
  AdminResolution,
} from '../../../client/client.ts';
import { api, isAbsent } from '../../state/api.ts';
import { into, setting } from '../../state/into.ts';
import { useLoaded } from '../../state/load.ts';
import { t, tWord } from '../../state/messages.ts';
import { go, href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action, actionLink, badge, badges, copyable, notice } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { code, component, div, li, p, span, ul } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { card, empty, failed, pageHead, skeleton } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { chainPicture } from './chain.ts';
import { memberName } from './describe.ts';

interface MemberPageProps {
  readonly client_id: string;
  readonly key: string;
}

export const memberPage = (props: MemberPageProps): VNode => component(MemberPage, props);

/** One member, and its trust chain as the server finds it now. */
function MemberPage({ client_id }: MemberPageProps): VNode {
  const { value, problem, failure, reload } = useLoaded(client_id, async () => {
    const { body, headers } = await api.call('adminFederationMemberRead', { client_id });
    return { member: body as AdminFederationMember, etag: headers.get('etag') ?? '*' };
  });
  const chain = useLoaded(
    client_id,
    async () => (await api.adminFederationMemberChain({ client_id })) as AdminResolution,
  );
  const up = { to: href(['federation']), label: t('federation.members') };
  if (value === undefined) {
    const content = isAbsent(failure)
      ? empty('federation', t('federation.absent'))
      : problem === undefined
        ? skeleton()
        : failed(problem, reload);
    return div(null, pageHead({ title: client_id, up }), card(undefined, content, { flush: true }));
  }
  const { member, etag } = value;
  return div(
    null,
    pageHead({
      title: memberName(member),
      lead: member.entity_id,
      up,
      actions: component(MemberActions, {
        member,
        etag,
        reload: () => {
          reload();
          chain.reload();
        },
      }),
    }),
    div({ class: 'stack' }, membership(member), card(t('federation.chain'), chainNow())),
  );

  function chainNow(): ComponentChildren {
    if (chain.problem !== undefined) return failed(chain.problem, chain.reload);
    return chain.value === undefined ? skeleton() : chainPicture(chain.value);
  }
}

function membership(member: AdminFederationMember): VNode {
  const { state, failure, trust_marks, verified_trust_marks } = member;
  return card(undefined, [
    failure === null
      ? null
      : notice(
          'warn',
          p(null, t('federation.renewal.failed'), ' · ', when(failure.at)),
          p(null, `${failure.words} (${failure.reason})`),
        ),
    facts([
      [t('state'), badge(tWord('clients.state', state), state === 'active' ? 'good' : 'bad')],
      [t('federation.entity_id'), copyable(member.entity_id)],
      [t('client.id'), copyable(member.client_id)],
      [t('federation.registration'), tWord('federation.registration', member.registration)],
      [t('federation.anchor'), code(null, member.trust_anchor)],
      [t('client.expires_at'), when(member.expires_at)],
      [t('federation.chain_expires'), when(member.trust_chain_expires_at)],
      [t('federation.resolved_at'), when(member.resolved_at)],
      [
        t('federation.marks'),
        trust_marks.length === 0
          ? span({ class: 'muted' }, t('none'))
          : badges(
              ...trust_marks.map((mark) =>
                badge(mark, verified_trust_marks.includes(mark) ? 'good' : 'quiet'),
              ),
            ),
      ],
    ]),
  ]);
}

interface ActionsProps {
  readonly member: AdminFederationMember;
  readonly etag: string;
  readonly reload: () => void;
}

/** The acts on a member: renew it now, remove it. */
function MemberActions({ member, etag, reload }: ActionsProps): VNode {
  const act = useSignal<'refresh' | 'remove' | undefined>(undefined);
  const outcomes = useSignal<AdminFederationRefresh['outcomes']>([]);
  const { client_id } = member;
  const close = setting(act, undefined);
  return div(
    { class: 'actions' },
    may('admin:clients:read')
      ? actionLink({ label: t('federation.client'), icon: 'client', to: href(['clients', client_id]) })
      : null,
    may('admin:federation')
      ? [
          action({ label: t('federation.refresh'), icon: 'refresh', onClick: setting(act, 'refresh') }),
          action({
            label: t('federation.remove'),
            icon: 'trash',
            kind: 'danger-quiet',
            onClick: setting(act, 'remove'),
          }),
        ]
      : null,
    act.value === 'refresh'
      ? confirmed({
          title: t('federation.refresh.title'),
          text: t('federation.refresh.text'),
          name: member.entity_id,
          label: t('federation.refresh'),
          harmless: true,
          close,
          act: async (reason) => {
            const answer = await api.adminFederationMemberRefresh({ client_id, ...reason });
            into(outcomes)((answer as AdminFederationRefresh).outcomes);
            reload();
          },
        })
      : null,
    act.value === 'remove'
      ? confirmed({
          title: t('federation.remove.title'),
          text: t('federation.remove.text'),
          name: member.entity_id,
          label: t('federation.remove'),
          close,
          act: async (reason) => {
            await api.adminFederationMemberDelete({ client_id, 'if-match': etag, ...reason });
            toast(t('federation.removed'));
            go(['federation']);
          },
        })
      : null,
    outcomes.value.length === 0 ? null : outcomeDialog(outcomes.value, setting(outcomes, [])),
  );
}

/** Says how the renewal of each client of the entity ended. */
function outcomeDialog(all: AdminFederationRefresh['outcomes'], close: () => void): VNode {
  return dialog({
    title: t('federation.refresh.done'),
    close,
    children: ul(
      { class: 'plain-list' },
      all.map(({ client_id, renewed, expires_at, changed = [], error_description = '' }) =>
        li(
          { key: client_id },
          notice(
            renewed ? 'good' : 'bad',
            p(null, code(null, client_id)),
            renewed
              ? p(null, t('federation.refreshed'), ' · ', t('client.expires_at'), ' ', when(expires_at))
              : p(null, t('federation.refresh.failed'), ' ', error_description),
            renewed
              ? p(
                  null,
                  changed.length === 0
                    ? t('federation.refresh.unchanged')
                    : t('federation.refresh.changed', changed.join(', ')),
                )
              : null,
          ),
        ),
      ),
    ),
    foot: action({ label: t('close'), kind: 'primary', onClick: close }),
  });
}
