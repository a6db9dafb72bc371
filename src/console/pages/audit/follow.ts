import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AuditEvent } from '../../../client/client.ts';
import { requested, tenant } from '../../state/api.ts';
import { eventReader, type StreamEvent } from '../../state/event-stream.ts';
import { t } from '../../state/messages.ts';
import { action, badge } from '../../view/controls.ts';
import { component, div } from '../../view/elements.ts';
import { list } from '../../view/list.ts';
import { card, empty } from '../../view/page.ts';
import { eventColumns } from './event.ts';

/** Events that stay on the page. */
const KEPT_MAX = 200;
const AGAIN_MS = 2000;

/** Shows each event as it happens. */
export const follow = (show: (event: AuditEvent) => void): VNode => component(Follow, { show });

type State = 'connecting' | 'live' | 'paused';

function Follow({ show }: { readonly show: (event: AuditEvent) => void }): VNode {
  const events = useSignal<readonly AuditEvent[]>([]);
  const state = useSignal<State>('connecting');
  const isPaused = useSignal(false);
  useEffect(() => {
    if (isPaused.value) {
      state.value = 'paused';
      return undefined;
    }
    const ending = new AbortController();
    void followed(events, state, ending.signal);
    return () => ending.abort();
  }, [tenant.value, isPaused.value]);
  return div(
    { class: 'stack' },
    div(
      { class: 'toolbar' },
      badge(t(`audit.live.${state.value}`), state.value === 'live' ? 'good' : 'quiet'),
      action({
        label: t(isPaused.value ? 'audit.live.resume' : 'audit.live.pause'),
        icon: 'live',
        pressed: isPaused.value,
        onClick: () => {
          isPaused.value = !isPaused.value;
        },
      }),
    ),
    card(
      undefined,
      events.value.length === 0
        ? empty('live', t('audit.live.none'), t('audit.live.none.text'))
        : div(
            { 'aria-live': 'polite' },
            list({
              label: t('audit.live'),
              items: events.value,
              keyOf: ({ id }) => id,
              columns: eventColumns(show),
            }),
          ),
      { flush: true },
    ),
  );
}

/** Reads the stream until the page goes. After a loss it goes on behind the last event, so none is missed. */
async function followed(
  events: Signal<readonly AuditEvent[]>,
  state: Signal<State>,
  signal: AbortSignal,
): Promise<void> {
  let last: string | undefined;
  const take = ({ id, data, event }: StreamEvent): void => {
    last = id ?? last;
    // The server also tells where to go on, of gaps, and of its end.
    if (data === '' || event === 'gap' || event === 'end') return;
    const item = { ...(JSON.parse(data) as AuditEvent), ...(id === undefined ? {} : { id }) };
    events.value = [item, ...events.value].slice(0, KEPT_MAX);
  };
  while (!signal.aborted) {
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(last === undefined ? {} : { 'last-event-id': last }),
      };
      const { body, ok } = await requested('/admin/v1/events', { headers, signal });
      if (ok && body !== null) {
        state.value = 'live';
        await readAll(body, eventReader(take));
      }
    } catch {
      // The loop tries again, or the page has gone.
    }
    if (signal.aborted) return;
    state.value = 'connecting';
    await new Promise((resolve) => {
      setTimeout(resolve, AGAIN_MS);
    });
  }
}

async function readAll(body: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
  }
}
