import type { VNode } from 'preact';
import type { AuditEvent } from '../../../client/client.ts';
import { t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { action, badge, copyButton } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { a, code, p, span } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import type { Column } from '../../view/list.ts';
import { dateText, when } from '../../view/time.ts';

/** The columns of a list of events. */
export function eventColumns(show: (event: AuditEvent) => void): readonly Column<AuditEvent>[] {
  return [
    {
      label: t('audit.action'),
      cell: ({ action: name, outcome }) => [
        span({ class: 'title' }, name),
        outcome === 'refused' ? badge(tWord('audit.outcome', outcome), 'bad') : null,
      ],
    },
    { label: t('audit.at'), cell: ({ at }) => when(at) },
    { label: t('audit.actor'), cell: ({ actor }) => code(null, actor) },
    { label: t('audit.about'), cell: (event) => about(event) },
    { label: t('audit.detail'), className: 'wide', cell: ({ detail, reason }) => reason ?? detail },
    {
      label: '',
      className: 'narrow end',
      cell: (event) => action({ label: t('audit.more'), size: 'tiny', onClick: () => show(event) }),
    },
  ];
}

/** Shows the client or the account that an event concerns. */
function about({ client_id, sub }: AuditEvent): VNode | null {
  if (client_id !== null) return a({ href: href(['clients', client_id]) }, code(null, client_id));
  return sub === null ? null : code(null, sub);
}

/** Shows everything that the audit has of an event. */
export function wholeEvent(event: AuditEvent, close: () => void): VNode {
  const {
    action: name,
    at,
    actor,
    outcome,
    client_id,
    sub,
    address,
    user_agent,
    request_id,
    detail,
    reason,
  } = event;
  const text = (value: string | null): VNode =>
    value === null ? span({ class: 'muted' }, '–') : code({ class: 'grow' }, value);
  return dialog({
    title: name,
    close,
    wide: true,
    children: [
      facts([
        [t('audit.at'), `${dateText(at)} (${at})`],
        [t('audit.outcome'), badge(tWord('audit.outcome', outcome), outcome === 'done' ? 'good' : 'bad')],
        [t('audit.actor'), text(actor)],
        [t('audit.client'), text(client_id)],
        [t('audit.account'), text(sub)],
        [t('audit.detail'), text(detail)],
        [t('audit.reason'), reason ?? '–'],
        [t('audit.address'), text(address)],
        [t('audit.user_agent'), user_agent ?? '–'],
        [t('audit.request'), span({ class: 'actions' }, text(request_id), copyButton(request_id))],
      ]),
      p({ class: 'muted' }, t('audit.request.hint')),
    ],
  });
}
