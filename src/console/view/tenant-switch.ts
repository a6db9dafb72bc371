import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminSetting, AdminTenant } from '../../client/client.ts';
import { apiOf, isAbsent, serverApi, tenant } from '../state/api.ts';
import { setting } from '../state/into.ts';
import { useLoaded } from '../state/load.ts';
import { t } from '../state/messages.ts';
import { goTo, hrefOf, route } from '../state/route.ts';
import { may } from '../state/session.ts';
import { action, actionLink } from './controls.ts';
import { dialog } from './dialog.ts';
import { button, component, div, li, p, span, ul } from './elements.ts';
import { searchField } from './fields.ts';
import { icon } from './icon.ts';
import type { ItemPage } from './list-page.ts';
import { card, empty, failed, pageHead, skeleton } from './page.ts';

/** Whether the person may administer other tenants than the one that they signed in to. */
export const maySwitch = (): boolean => may('admin:all-tenants') && may('admin:tenants:read');

/** Shows which tenant the console administers, and offers the others. */
export function TenantSwitch(): VNode | null {
  const isOpen = useSignal(false);
  if (!maySwitch()) return null;
  const id = tenant.value;
  return div(
    null,
    button(
      {
        type: 'button',
        class: `tenant-switch${id === undefined ? '' : ' other'}`,
        'aria-haspopup': 'dialog',
        onClick: setting(isOpen, true),
      },
      icon('tenant'),
      span(
        { class: 'grow' },
        span({ class: 'muted small' }, t('tenant')),
        span({ class: 'name' }, id ?? t('tenant.default')),
      ),
      icon('down'),
    ),
    isOpen.value ? component(Choice, { close: setting(isOpen, false) }) : null,
  );
}

const TYPING_MS = 180;

/** Finds a tenant by a part of its names. The server searches: no tenant is left out. */
function Choice({ close }: { readonly close: () => void }): VNode {
  const search = useSignal('');
  const after = useSignal<string | undefined>(undefined);
  const found = useLoaded(
    JSON.stringify([search.value, after.value]),
    async () =>
      (await serverApi.adminTenantList({
        query: {
          state: 'active',
          fields: 'id,issuer',
          limit: 20,
          ...(search.value === '' ? {} : { q: search.value }),
          ...(after.value === undefined ? {} : { cursor: after.value }),
        },
      })) as ItemPage<Pick<AdminTenant, 'id' | 'issuer'>>,
    { delay_ms: TYPING_MS },
  );
  const choose = (id: string | undefined): void => {
    close();
    // The records of another tenant are not there: the list is.
    goTo(hrefOf(id, route.value.path.slice(0, 1)));
  };
  return dialog({
    title: t('tenant.choose'),
    close,
    children: [
      searchField(t('tenants.search'), search.value, (text) => {
        after.value = undefined;
        search.value = text;
      }),
      results(),
    ],
    foot:
      tenant.value === undefined
        ? undefined
        : action({ label: t('tenant.back'), icon: 'undo', onClick: () => choose(undefined) }),
  });

  function results(): VNode {
    const { value, problem, busy, reload } = found;
    if (problem !== undefined) return failed(problem, reload);
    if (value === undefined) return skeleton(3);
    if (value.items.length === 0) return empty('tenant', t('list.nothing'));
    return div(
      { 'aria-busy': busy },
      ul(
        { class: 'choices', 'aria-label': t('tenants') },
        value.items.map(({ id, issuer }) =>
          li(
            { key: id },
            button(
              { type: 'button', class: 'choice', onClick: () => choose(id) },
              span({ class: 'name' }, id),
              span({ class: 'muted small' }, issuer),
            ),
          ),
        ),
      ),
      value.next === undefined
        ? null
        : p(
            { class: 'actions' },
            action({
              label: t('page.next'),
              icon: 'next',
              size: 'tiny',
              onClick: setting(after, value.next),
            }),
          ),
    );
  }
}

interface InTenantProps {
  readonly id: string;
  readonly show: () => VNode;
}

/** Whether requests reach a tenant. `ignored`: a proxy takes the name of the tenant out of requests. */
type Standing = 'administered' | 'closed' | 'ignored';

/** The tenant that was found to be administered here: the question is asked once, not for each page. */
const administered = signal<string | undefined>(undefined);

async function standingOf(id: string): Promise<Standing> {
  const query = { fields: 'issuer,state' };
  const { issuer, state } = (await serverApi.adminTenantRead({ id, query })) as AdminTenant;
  if (state !== 'active') return 'closed';
  const { value } = (await apiOf(id).adminSettingRead({ name: 'issuer' })) as AdminSetting;
  if (value !== issuer) return 'ignored';
  administered.value = id;
  return 'administered';
}

/**
 * Shows a page of another tenant if the server administers that one. Without the header that names the tenant, each page would be
 * about the default tenant, and look the same.
 */
function InTenant({ id, show }: InTenantProps): VNode {
  const { value, failure, problem, reload } = useLoaded(id, async () => await standingOf(id));
  if (value === 'administered') return show();
  if (value === 'closed')
    return instead(
      id,
      t('tenant.closed'),
      p(null, t('tenant.closed.text')),
      actionLink({ label: t('tenant.show'), to: hrefOf(undefined, ['tenants', id]) }),
    );
  if (value === 'ignored') return instead(id, t('tenant.ignored'), p(null, t('tenant.ignored.text')));
  if (isAbsent(failure)) return instead(id, t('tenants.absent'));
  return problem === undefined ? skeleton() : failed(problem, reload);
}

/** Says why a page of a tenant is not there, and leads back. */
const instead = (id: string, words: string, ...more: VNode[]): VNode =>
  div(
    null,
    pageHead({ title: id }),
    card(
      undefined,
      empty(
        'tenant',
        words,
        ...more,
        actionLink({
          label: t('tenant.back'),
          icon: 'undo',
          to: hrefOf(undefined, route.value.path.slice(0, 1)),
        }),
      ),
      { flush: true },
    ),
  );

/** Shows a page of the chosen tenant; the person who may not choose is told so, and no request is sent. */
export function inTenant(show: () => VNode): VNode {
  const id = tenant.value;
  if (id === undefined || id === administered.value) return show();
  if (!maySwitch()) return instead(id, t('failed.scope'));
  return component(InTenant, { id, show, key: id });
}
