import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { EventStream } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { useLoaded } from '../../state/load.ts';
import { number, t, tWord } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed, type Reason } from '../../view/confirm.ts';
import { action, badge } from '../../view/controls.ts';
import { code, component, div } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { card, empty, failed, skeleton } from '../../view/page.ts';
import { when } from '../../view/time.ts';

/** The acts of an operator on a stream. */
const ACTS = ['enable', 'pause', 'disable', 'redeliver', 'drop', 'delete'] as const;

type Act = (typeof ACTS)[number];

/** Acts after which events or the stream are lost. */
const HARMFUL: ReadonlySet<Act> = new Set(['disable', 'drop', 'delete']);

interface Chosen {
  readonly act: Act;
  readonly stream: EventStream;
}

export const streams = (client_id: string): VNode => component(Streams, { client_id });

/** The streams of security events that a client made, with what an operator may do. A client has a few. */
function Streams({ client_id }: { readonly client_id: string }): VNode {
  const chosen = useSignal<Chosen | undefined>(undefined);
  const { value, problem, reload } = useLoaded(client_id, async () => {
    const { items } = await api.adminEventStreamList({ query: { client_id } });
    return items as readonly EventStream[];
  });
  if (problem !== undefined) return card(undefined, failed(problem, reload), { flush: true });
  if (value === undefined) return card(undefined, skeleton(), { flush: true });
  if (value.length === 0)
    return card(undefined, empty('live', t('streams.none'), t('streams.none.text')), { flush: true });
  return div(
    { class: 'stack' },
    value.map((stream) =>
      div(
        { key: stream.id },
        streamCard(stream, (act) => void (chosen.value = { act, stream })),
      ),
    ),
    chosen.value === undefined ? null : question(chosen.value),
  );

  function question({ act, stream }: Chosen): VNode {
    return confirmed({
      title: t(`streams.${act}.title`),
      text: t(`streams.${act}.text`),
      name: stream.endpoint_url ?? stream.id,
      label: t(`streams.${act}`),
      harmless: !HARMFUL.has(act),
      close: setting(chosen, undefined),
      act: async (reason) => {
        await done(act, stream.id, reason);
        toast(t('streams.done'));
        reload();
      },
    });
  }
}

async function done(act: Act, id: string, reason: Reason): Promise<unknown> {
  const call = { id, ...reason };
  switch (act) {
    case 'enable':
      return await api.adminEventStreamEnable(call);
    case 'pause':
      return await api.adminEventStreamPause(call);
    case 'disable':
      return await api.adminEventStreamDisable(call);
    case 'redeliver':
      return await api.adminEventStreamRedeliver(call);
    case 'drop':
      return await api.adminEventStreamDrop(call);
    case 'delete':
      return await api.adminEventStreamDelete({ ...call, 'if-match': '*' });
  }
}

const TONES = { enabled: 'good', paused: 'warn', disabled: 'bad' } as const;

function streamCard(stream: EventStream, choose: (act: Act) => void): VNode {
  const { id, endpoint_url, description, status, held, delivered, delivered_at, problem } = stream;
  const shown = div(
    { class: 'stack' },
    facts([
      [t('streams.status'), badge(tWord('streams.status', status), TONES[status])],
      [t('streams.receiver'), endpoint_url === null ? t('streams.polled') : code(null, endpoint_url)],
      [t('streams.held'), number(held)],
      [t('webhooks.delivered'), number(delivered)],
      [t('webhooks.delivered_at'), when(delivered_at)],
      ...(problem === null ? [] : ([[t('streams.problem'), problem]] as const)),
    ]),
    may('admin:clients:write') ? actsOn(stream, choose) : null,
  );
  return card(description ?? id, shown);
}

const actsOn = (stream: EventStream, choose: (act: Act) => void): VNode =>
  div(
    { class: 'actions' },
    offeredTo(stream).map((act) =>
      action({
        label: t(`streams.${act}`),
        ...(HARMFUL.has(act) ? { kind: 'danger-quiet' } : {}),
        onClick: () => choose(act),
      }),
    ),
  );

/** Returns the acts that change something: no stream gets the status that it has. */
function offeredTo({ status, held }: EventStream): readonly Act[] {
  const statuses = { enable: 'enabled', pause: 'paused', disable: 'disabled' } as const;
  return ACTS.filter((act) => {
    if (act === 'redeliver' || act === 'drop') return held > 0;
    return act === 'delete' || statuses[act] !== status;
  });
}
