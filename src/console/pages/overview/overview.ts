import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AdminRefusal, AdminStatistics } from '../../../client/client.ts';
import { api, tenant } from '../../state/api.ts';
import { useLoaded } from '../../state/load.ts';
import { type MessageKey, number, t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { badge } from '../../view/controls.ts';
import { a, code, component, div, p, span, strong } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { list } from '../../view/list.ts';
import { card, empty, failed, pageHead, skeleton } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { type Answers, answersOf, rateChart, rateSince } from './rates.ts';
import { refusalColumns, refusalKey } from './refusal-columns.ts';

const REFUSALS_SHOWN = 8;
const EXPIRING_SHOWN = 6;
const REFRESH_MS = 10_000;
const SAMPLES_MAX = 60;

export const overview = (): VNode => component(Overview, {});

interface Facts {
  readonly statistics: AdminStatistics;
  readonly refusals: readonly AdminRefusal[] | undefined;
}

/** Two requests: figures, and the latest refusals. */
async function read(): Promise<Facts> {
  const [statistics, refusals] = await Promise.all([
    api.adminStatistics(),
    may('admin:audit:read') ? api.adminRefusalList({ query: { limit: REFUSALS_SHOWN } }) : undefined,
  ]);
  return {
    statistics: statistics as AdminStatistics,
    refusals: refusals?.items as readonly AdminRefusal[] | undefined,
  };
}

/** How the server is: figures, rates, what was refused, what expires next. */
function Overview(): VNode {
  const samples = useSignal<readonly Answers[]>([]);
  const { value, problem, reload } = useLoaded(`overview ${tenant.value ?? ''}`, async () => {
    const found = await read();
    samples.value = [...samples.value, answersOf(found.statistics, performance.now())].slice(-SAMPLES_MAX);
    return found;
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return div(
    null,
    pageHead({ title: t('overview'), lead: t('overview.lead') }),
    value === undefined
      ? card(undefined, problem === undefined ? skeleton() : failed(problem, reload), { flush: true })
      : div(
          { class: 'stack' },
          objects(value.statistics),
          div({ class: 'columns' }, rates(value.statistics, samples.value), expiring(value.statistics)),
          value.refusals === undefined ? null : refusals(value.refusals),
        ),
  );
}

const OBJECTS = [
  ['clients', 'overview.clients', ['clients'], 'admin:clients:read'],
  ['accounts', 'overview.accounts', ['accounts'], 'admin:accounts:read'],
  ['sessions', 'overview.sessions', ['sessions'], 'admin:sessions:read'],
  ['grants', 'overview.grants', ['grants'], 'admin:sessions:read'],
  ['access_tokens', 'overview.access_tokens', undefined, ''],
] as const satisfies readonly (readonly [string, MessageKey, readonly string[] | undefined, string])[];

function objects({ objects: counts }: AdminStatistics): VNode | null {
  if (counts === null) return null;
  return div(
    { class: 'figures' },
    OBJECTS.map(([name, label, to, scope]) => {
      const content = [strong(null, number(counts[name])), span(null, t(label))];
      return to === undefined || !may(scope)
        ? div({ key: name, class: 'card figure' }, content)
        : a({ key: name, class: 'card figure', href: href(to) }, content);
    }),
  );
}

function rates({ process, started_at, version }: AdminStatistics, samples: readonly Answers[]): VNode {
  const latest = rateSince(samples.at(-2), samples.at(-1));
  const refused = process?.requests['4xx'] ?? 0;
  const broken = process?.requests['5xx'] ?? 0;
  return card(t('overview.health'), [
    rateChart(samples),
    facts([
      [t('overview.rate'), latest === undefined ? '–' : t('overview.per_second', number(latest))],
      [t('overview.refused'), number(refused)],
      [t('overview.broken'), broken === 0 ? number(0) : badge(number(broken), 'bad')],
      [t('overview.started'), when(started_at)],
      [t('overview.server'), [version, process?.node, process?.storage].filter(Boolean).join(' · ')],
    ]),
  ]);
}

interface Coming {
  readonly kind: string;
  readonly at: string;
  readonly names: readonly string[];
}

const DAY_LENGTH = '2026-11-23'.length;

/** Gathers what happens to several keys on one day. */
function gathered(all: AdminStatistics['expiring']): readonly Coming[] {
  const groups = Map.groupBy(all, ({ kind, at }) => `${kind} ${at.slice(0, DAY_LENGTH)}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, names: group.map(({ name }) => name) }];
  });
}

const SOON_MS = 14 * 86_400_000;

function expiring({ expiring: all }: AdminStatistics): VNode {
  const content =
    all.length === 0
      ? empty('check', t('overview.expiring.none'))
      : list({
          label: t('overview.expiring'),
          items: gathered(all).slice(0, EXPIRING_SHOWN),
          keyOf: ({ kind, names, at }) => `${kind} ${names[0] ?? ''} ${at}`,
          columns: [
            {
              label: t('overview.what'),
              cell: ({ kind, names: [first = '', ...others] }) => [
                span({ class: 'title' }, tWord('overview.kind', kind)),
                span(
                  { class: 'sub' },
                  code(null, first),
                  others.length === 0 ? null : ` ${t('overview.more', others.length)}`,
                ),
              ],
            },
            {
              label: t('refusals.at'),
              className: 'end',
              cell: ({ kind, at }) => (isUrgent(kind, at) ? badge(t('overview.soon'), 'warn') : when(at)),
            },
          ],
        });
  return card(t('overview.expiring'), content, { flush: true });
}

/** The server rotates its keys itself; certificates and anchors need a person. */
const isUrgent = (kind: string, at: string): boolean =>
  (kind === 'certificate' || kind === 'trust-anchor') && Date.parse(at) - Date.now() < SOON_MS;

function refusals(all: readonly AdminRefusal[]): VNode {
  const content =
    all.length === 0
      ? empty('check', t('overview.refusals.none'), p(null, t('overview.refusals.none.text')))
      : list({
          label: t('overview.refusals'),
          items: all,
          keyOf: refusalKey,
          columns: refusalColumns(false),
        });
  return card(t('overview.refusals'), content, { flush: true });
}
