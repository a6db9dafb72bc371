import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminResolution, AdminTrustAnchor } from '../../../client/client.ts';
import { api, memberFaults, wordsOf } from '../../state/api.ts';
import { into } from '../../state/into.ts';
import { useLoaded } from '../../state/load.ts';
import { t } from '../../state/messages.ts';
import { route, setQuery } from '../../state/route.ts';
import { action, notice } from '../../view/controls.ts';
import { component, div, form, p } from '../../view/elements.ts';
import { selectField, textField } from '../../view/fields.ts';
import { card, failed, skeleton } from '../../view/page.ts';
import { chainPicture } from './chain.ts';
import { withoutFederation } from './describe.ts';

const LIMIT = 200;

export const resolution = (): VNode => component(Resolution, {});

type AnchorName = Pick<AdminTrustAnchor, 'entity_id'>;

/** Searches for a trust chain to any entity, and shows the chain or the step that failed. */
function Resolution(): VNode {
  const search = useSearch();
  const { value, problem, failure, reload } = useLoaded('anchors', async () => {
    const { items } = await api.adminTrustAnchorList({ query: { limit: LIMIT, fields: 'entity_id' } });
    return items as readonly AnchorName[];
  });
  if (problem !== undefined)
    return card(undefined, withoutFederation(failure) ?? failed(problem, reload), { flush: true });
  if (value === undefined) return card(undefined, skeleton(), { flush: true });
  const { busy, found } = search;
  return div(
    { class: 'stack' },
    card(undefined, searchForm(search, value)),
    busy.value ? card(undefined, skeleton(), { flush: true }) : null,
    found.value === undefined ? null : card(t('federation.chain'), chainPicture(found.value)),
  );
}

interface Search {
  readonly entity_id: Signal<string>;
  readonly trust_anchor: Signal<string>;
  readonly busy: Signal<boolean>;
  readonly failure: Signal<unknown>;
  readonly found: Signal<AdminResolution | undefined>;
  readonly run: () => Promise<void>;
}

function useSearch(): Search {
  const entity_id = useSignal(route.value.query['entity_id'] ?? '');
  const trust_anchor = useSignal('');
  const busy = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const found = useSignal<AdminResolution | undefined>(undefined);
  const run = async (): Promise<void> => {
    busy.value = true;
    failure.value = undefined;
    found.value = undefined;
    setQuery({ entity_id: entity_id.value });
    try {
      found.value = (await api.adminFederationResolve({
        body: {
          entity_id: entity_id.value.trim(),
          ...(trust_anchor.value === '' ? {} : { trust_anchor: trust_anchor.value }),
        },
      })) as AdminResolution;
    } catch (refused) {
      failure.value = refused;
    } finally {
      busy.value = false;
    }
  };
  return { entity_id, trust_anchor, busy, failure, found, run };
}

function searchForm(
  { entity_id, trust_anchor, busy, failure, run }: Search,
  anchors: readonly AnchorName[],
): VNode {
  const faults = memberFaults(failure.value);
  return form(
    {
      class: 'stack',
      noValidate: true,
      onSubmit: (event: Event) => {
        event.preventDefault();
        void run();
      },
    },
    p({ class: 'muted' }, t('resolve.text')),
    div(
      { class: 'fields' },
      textField({
        label: t('federation.entity_id'),
        type: 'url',
        placeholder: 'https://rp.example.org',
        value: entity_id.value,
        wrong: faults.get('/entity_id'),
        onInput: into(entity_id),
      }),
      selectField({
        label: t('federation.anchor'),
        value: trust_anchor.value,
        choices: [
          { value: '', label: t('resolve.any') },
          ...anchors.map((anchor) => ({ value: anchor.entity_id, label: anchor.entity_id })),
        ],
        onInput: into(trust_anchor),
      }),
    ),
    failure.value === undefined || faults.size > 0 ? null : notice('bad', wordsOf(failure.value)),
    div(
      { class: 'actions' },
      action({
        label: t('resolve.run'),
        icon: 'search',
        kind: 'primary',
        submit: true,
        disabled: busy.value,
      }),
    ),
  );
}
