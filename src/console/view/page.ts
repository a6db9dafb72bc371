import type { ComponentChildren, VNode } from 'preact';
import { tenant } from '../state/api.ts';
import { t } from '../state/messages.ts';
import { action } from './controls.ts';
import { a, div, h1, h2, header, nav, p, section, span, strong } from './elements.ts';
import { type IconName, icon } from './icon.ts';

interface HeadOptions {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** Where the page belongs to. */
  readonly up?: { readonly to: string; readonly label: string };
  readonly actions?: ComponentChildren;
}

export function pageHead({ title, lead, up, actions }: HeadOptions): VNode {
  document.title = [title, tenant.value, 'Chancery'].filter(Boolean).join(' · ');
  return header(
    { class: 'page-head' },
    div(
      { class: 'grow' },
      up === undefined ? null : a({ class: 'crumb', href: up.to }, icon('back'), up.label),
      h1(null, title),
      lead === undefined ? null : div({ class: 'lead' }, lead),
    ),
    actions === undefined ? null : div({ class: 'actions' }, actions),
  );
}

export function card(
  title: string | undefined,
  content: ComponentChildren,
  options: { readonly actions?: ComponentChildren; readonly flush?: boolean } = {},
): VNode {
  return section(
    { class: 'card' },
    title === undefined ? null : div({ class: 'card-head' }, h2(null, title), options.actions),
    options.flush === true ? content : div({ class: 'card-body' }, content),
  );
}

export interface Tab {
  readonly to: string;
  readonly label: string;
  readonly current: boolean;
}

export function tabs(words: string, all: readonly Tab[]): VNode {
  return nav(
    { class: 'tabs', 'aria-label': words },
    all.map(({ to, label, current }) =>
      a({ key: to, href: to, ...(current ? { 'aria-current': 'page' } : {}) }, label),
    ),
  );
}

export function skeleton(lines = 6): VNode {
  return div(
    { class: 'skeleton', role: 'status' },
    span({ class: 'only-read' }, t('loading')),
    Array.from({ length: lines }, (_, index) => span({ key: index, 'aria-hidden': 'true' })),
  );
}

export function empty(picture: IconName, title: string, ...more: ComponentChildren[]): VNode {
  return div({ class: 'empty' }, icon(picture), strong(null, title), ...more);
}

/** Says why something could not be shown, and offers to try again. */
export function failed(words: string, again: () => void): VNode {
  return div(
    { class: 'empty', role: 'alert' },
    icon('warning'),
    strong(null, t('failed.title')),
    p(null, words),
    action({ label: t('again'), icon: 'refresh', onClick: again }),
  );
}
