import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { GROUPS, type Place } from '../pages/places.ts';
import { online, tenant } from '../state/api.ts';
import { configuration } from '../state/configuration.ts';
import { setting } from '../state/into.ts';
import { chooseLanguage, LANGUAGES, language, t } from '../state/messages.ts';
import { href, route } from '../state/route.ts';
import { beginSignIn, may, type Person, session, signOut } from '../state/session.ts';
import { chooseTheme, THEMES, theme } from '../state/theme.ts';
import { dismiss, type Toast, toast, toasts } from '../state/toasts.ts';
import { action, menu } from './controls.ts';
import { a, aside, component, div, header, li, main, nav, p, span, ul } from './elements.ts';
import { icon } from './icon.ts';
import { empty } from './page.ts';
import { roleOf } from './role.ts';
import { inTenant, TenantSwitch } from './tenant-switch.ts';

/** The frame around every page: navigation, tenant, person, messages. */
export function Shell({ person }: { readonly person: Person }): VNode {
  const open = useSignal(false);
  const { path } = route.value;
  const place = placeAt(path);
  const address = `${tenant.value ?? ''} ${path.join('/')}`;
  useEffect(() => {
    open.value = false;
    document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [address]);
  return div(
    null,
    a({ class: 'skip', href: '#content', onClick: skip }, t('skip')),
    component(Banners, {}),
    div(
      { class: 'shell' },
      header(
        { class: 'bar' },
        action({
          label: t('menu'),
          icon: 'menu',
          kind: 'plain',
          iconOnly: true,
          onClick: setting(open, true),
        }),
        brand(),
        tenant.value === undefined ? null : span({ class: 'badge accent' }, tenant.value),
      ),
      open.value
        ? div({
            class: 'veil',
            onClick: setting(open, false),
          })
        : null,
      side(person, place, open.value, setting(open, false)),
      main(
        { id: 'content', class: 'content', tabIndex: -1, key: `${tenant.value ?? ''} ${place?.name ?? '-'}` },
        shown(place, path.slice(1)),
      ),
    ),
    component(Toasts, {}),
  );
}

function shown(place: Place | undefined, path: readonly string[]): VNode {
  if (place === undefined) return empty('search', t('absent.title'), p(null, t('absent.text')));
  return place.ofServer === true ? place.show(path) : inTenant(() => place.show(path));
}

/** The fragment of the address names a page, so the link to the content moves the focus itself. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}

function placeAt(path: readonly string[]): Place | undefined {
  const name = path[0] ?? '';
  return GROUPS.flatMap(({ places }) => places).find((one) => one.name === name && may(one.scope));
}

const brand = (): VNode =>
  a({ class: 'brand', href: href([]) }, span({ class: 'mark' }, icon('key')), 'Chancery');

function side(person: Person, current: Place | undefined, open: boolean, close: () => void): VNode {
  return aside(
    {
      class: `side${open ? ' open' : ''}`,
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === 'Escape') close();
      },
    },
    brand(),
    component(TenantSwitch, {}),
    nav(
      { class: 'nav', 'aria-label': t('navigation') },
      GROUPS.map(({ label, places }) => {
        const offered = places.filter(({ scope }) => may(scope));
        if (offered.length === 0) return null;
        return div(
          { key: label ?? 'first' },
          label === undefined ? null : p({ class: 'nav-title' }, t(label)),
          ul(
            null,
            offered.map((place) =>
              li(
                { key: place.name },
                a(
                  {
                    href: href(place.name === '' ? [] : [place.name]),
                    ...(place === current ? { 'aria-current': 'page' } : {}),
                    onClick: close,
                  },
                  icon(place.icon),
                  t(place.label),
                ),
              ),
            ),
          ),
        );
      }),
    ),
    div({ class: 'side-foot' }, personMenu(person)),
  );
}

function personMenu(person: Person): VNode {
  const face = [
    span({ class: 'avatar', 'aria-hidden': 'true' }, (person.name[0] ?? '?').toUpperCase()),
    span(
      { class: 'grow' },
      span({ class: 'name' }, person.name),
      span({ class: 'muted small' }, t(`role.${roleOf(person.scope)}`)),
    ),
    icon('more'),
  ];
  return menu({
    label: t('person.menu'),
    face,
    faceClass: 'person',
    above: true,
    children: (close) => [
      p({ class: 'menu-title' }, t('language')),
      Object.entries(LANGUAGES).map(([tag, name]) =>
        action({
          label: name,
          kind: 'plain',
          size: 'tiny',
          ...(tag === language.value ? { icon: 'check' as const } : {}),
          pressed: tag === language.value,
          onClick: () => {
            chooseLanguage(configuration.messages, tag).catch(() => toast(t('failed.connection')));
            close();
          },
        }),
      ),
      p({ class: 'menu-title' }, t('theme')),
      THEMES.map((name) =>
        action({
          label: t(`theme.${name}`),
          kind: 'plain',
          size: 'tiny',
          ...(name === theme.value ? { icon: 'check' as const } : {}),
          pressed: name === theme.value,
          onClick: () => {
            chooseTheme(name);
            close();
          },
        }),
      ),
      p({ class: 'menu-title' }, t('version', configuration.version)),
      action({
        label: t('sign_out'),
        icon: 'session',
        kind: 'plain',
        onClick: () => {
          signOut().catch(() => toast(t('failed.connection')));
        },
      }),
    ],
  });
}

/** Shows news that concern every page: a session that has ended, a server that does not answer. */
function Banners(): VNode | null {
  if (session.value.state === 'expired')
    return div(
      { class: 'banner', role: 'alert' },
      icon('warning'),
      t('expired.text'),
      action({
        label: t('sign_in'),
        size: 'tiny',
        onClick: () => {
          beginSignIn(false).catch(() => toast(t('failed.connection')));
        },
      }),
    );
  return online.value ? null : div({ class: 'banner', role: 'alert' }, icon('warning'), t('offline.text'));
}

function Toasts(): VNode {
  return div({ class: 'toasts', role: 'status', 'aria-live': 'polite' }, toasts.value.map(shownToast));
}

function shownToast({ id, text, undo }: Toast): VNode {
  return div(
    { key: id, class: 'toast' },
    span({ class: 'grow' }, text),
    undo === undefined
      ? null
      : action({
          label: t('undo'),
          icon: 'undo',
          size: 'tiny',
          onClick: () => {
            dismiss(id);
            undo().then(
              () => toast(t('undone')),
              () => toast(t('undo.failed')),
            );
          },
        }),
    action({
      label: t('close'),
      icon: 'close',
      size: 'tiny',
      kind: 'plain',
      iconOnly: true,
      onClick: () => dismiss(id),
    }),
  );
}
