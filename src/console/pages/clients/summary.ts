import type { ComponentChildren, VNode } from 'preact';
import type { AdminClient } from '../../../client/client.ts';
import { t, tWord } from '../../state/messages.ts';
import { badge, badges, copyable } from '../../view/controls.ts';
import { code, div, li, span, ul } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { card } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { grantsOf } from './describe.ts';

/** The facts about a client that people ask for first. */
export function clientSummary(client: AdminClient): VNode {
  const { metadata } = client;
  return div(
    { class: 'columns' },
    card(
      t('client.about'),
      facts([
        [t('client.id'), copyable(client.client_id)],
        [
          t('clients.type'),
          badges(
            badge(tWord('clients.type', client.type), client.type === 'public' ? 'accent' : 'quiet'),
            badge(tWord('clients.state', client.state), client.state === 'active' ? 'good' : 'bad'),
          ),
        ],
        [t('client.auth_method'), code(null, textOf(metadata['token_endpoint_auth_method']))],
        [
          t('clients.grant_types'),
          grantsOf(client)
            .map((grant) => tWord('grant_type', grant))
            .join(', '),
        ],
        [t('clients.scope'), scopeOf(client)],
        [t('client.redirect_uris'), lines(metadata['redirect_uris'])],
        ...given(t('client.details_types'), metadata['authorization_details_types'], lines),
        ...given(t('client.exchange'), metadata['chancery_token_exchange'], policy),
      ]),
    ),
    card(
      t('client.life'),
      facts([
        [t('clients.origin'), originText(client)],
        [t('client.created_at'), when(client.created_at)],
        [t('clients.last_used_at'), when(client.last_used_at)],
        [t('client.expires_at'), when(client.expires_at)],
        ...(client.secrets.length === 0
          ? []
          : ([[t('client.secret_expires'), when(client.secrets[0]?.expires_at)]] as const)),
        ...(client.owner === null ? [] : ([[t('client.owner'), client.owner]] as const)),
      ]),
    ),
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '–');

function originText({ registered_via }: AdminClient): VNode {
  const [origin = '', ...label] = registered_via.split(':');
  return span(
    null,
    tWord('clients.origin', origin),
    label.length === 0 ? null : span({ class: 'muted' }, ` · ${label.join(':')}`),
  );
}

function scopeOf({ scope }: AdminClient): ComponentChildren {
  return scope.length === 0
    ? span({ class: 'muted' }, t('none'))
    : badges(...scope.map((value) => badge(value)));
}

function lines(value: unknown): ComponentChildren {
  if (!Array.isArray(value) || value.length === 0) return span({ class: 'muted' }, t('none'));
  return ul(
    { class: 'plain-list' },
    value.map((line) => li({ key: String(line) }, code(null, String(line)))),
  );
}

/** Returns a fact about a member that most clients do not have; none without it. */
function given(
  label: string,
  value: unknown,
  show: (value: unknown) => ComponentChildren,
): readonly (readonly [string, ComponentChildren])[] {
  return value === undefined ? [] : [[label, show(value)]];
}

/** Shows a policy member by member, with the words of the registration. */
function policy(value: unknown): ComponentChildren {
  const words = (member: unknown): string =>
    Array.isArray(member) && member.every((one) => typeof one === 'string')
      ? member.join(', ')
      : typeof member === 'string'
        ? member
        : JSON.stringify(member);
  return ul(
    { class: 'plain-list' },
    Object.entries(value as object).map(([name, member]) =>
      li({ key: name }, span({ class: 'muted' }, `${name}: `), code(null, words(member))),
    ),
  );
}
