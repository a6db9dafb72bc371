import { setTimeout as sleep } from 'node:timers/promises';
import {
  authenticate,
  FLOODED,
  flood,
  type Outcome,
  type Recorder,
  type Registry,
  registerKeyed,
  STRANGER,
  secondTenant,
  startKeyHost,
  startMuteHosts,
} from '../../hostile/outbound-flood.ts';
import { BOTH_ENGINES, type Experiment, milliseconds } from '../experiment.ts';
import type { Ledger } from '../ledger.ts';
import { quantiles } from '../load-figures.ts';
import { openDescriptors, settledDescriptors } from '../process-figures.ts';
import { underFault } from '../under-fault.ts';

const MUTE_CLIENTS = 330;
const FORGED_PER_SECOND = 60;
/** Each of the three kinds of honest clients comes in this many groups, one group after the other. */
const GROUPS = 10;
const GROUP = [3, 3, 4] as const;
const PAUSE_MS = 2_000;
const DESCRIPTORS_GROWTH_MAX = 16;

/** Strangers hold every fetch that they can for 20 seconds, and a hundred honest clients come meanwhile. */
export const outboundFlood: Experiment = {
  name: 'outbound-flood',
  fault:
    'F22, H-260 330 clients with mute key hosts, 60 forged assertions a second, and 100 honest clients whose keys are not in memory',
  engines: BOTH_ENGINES,
  acked_min: () => 100,
  async run(stand) {
    const [mute, keyHost] = await Promise.all([startMuteHosts(), startKeyHost()]);
    try {
      // The count of open files settles when idle connections have ended.
      const environment = { ...FLOODED, CHANCERY_LISTEN_KEEP_ALIVE_TIMEOUT: '5' };
      const node = await stand.start({ mode: 'dev', environment });
      const second = await secondTenant(node, stand.url);
      const urls = Array.from({ length: MUTE_CLIENTS }, (_, number) => mute.url(number));
      const record = recorder(stand.ledger);
      const muteClients = await registerKeyed(node, urls, record);
      const kinds = await honestKinds(node, second, { url: keyHost.url, record });
      const before = openDescriptors(node);
      const served: Outcome[] = [];
      const times: number[] = [];
      let open_max = 0;
      let strangers: readonly Outcome[] = [];
      const outcome = await underFault(stand, {
        nodes: [node],
        before_ms: 2_000,
        after_ms: 4_000,
        async fault() {
          const forging = flood(FORGED_PER_SECOND, async (number) => {
            open_max = Math.max(open_max, mute.open);
            const id = muteClients[number % MUTE_CLIENTS] ?? '';
            return await authenticate(node, id, STRANGER, { forged: true });
          });
          for (let group = 0; group < GROUPS; group += 1) {
            await sleep(PAUSE_MS);
            const calls = kinds.flatMap(({ at, from, ids }, kind) =>
              ids.splice(0, GROUP[kind] ?? 0).map(async (id) => {
                const started = performance.now();
                served.push(await authenticate(at, id, from));
                times.push(performance.now() - started);
              }),
            );
            await Promise.all(calls);
          }
          await forging.stop();
          strangers = forging.outcomes;
        },
        expect(figures) {
          const { failed } = figures.times('during');
          return failed > 0 ? [`${failed} requests of others failed`] : [];
        },
      });
      const after = await settledDescriptors(node, before + DESCRIPTORS_GROWTH_MAX);
      const refused = served.filter(({ status }) => status !== 200);
      const blamed = strangers.filter(({ error }) => error !== 'temporarily_unavailable');
      const { p50, max } = quantiles(times.toSorted((one, other) => one - other));
      const broken = [
        ...outcome.broken,
        ...(refused.length > 0 ? [`${refused.length} of ${served.length} honest clients are refused`] : []),
        ...(blamed.length > 0 ? [`${blamed.length} answers are not temporarily_unavailable`] : []),
        ...(open_max === 0 ? ['strangers held no fetch: the flood did not take place'] : []),
        ...(after > before + DESCRIPTORS_GROWTH_MAX ? [`descriptors: ${before} before, ${after} after`] : []),
      ];
      const figures = {
        'honest clients served': `${served.length - refused.length} of ${served.length}, p50 ${milliseconds(p50)}, slowest ${milliseconds(max)}`,
        'forged assertions': String(strangers.length),
        'fetches that strangers held, most': String(open_max),
        'descriptors before / after': `${before} / ${after}`,
        ...outcome.figures,
      };
      return { ...outcome, broken, figures };
    } finally {
      keyHost.close();
      await mute.close();
    }
  },
};

/** Writes the registrations into the ledger, so that they are looked for afterwards. */
function recorder(ledger: Ledger): Recorder {
  return (mark) => {
    const op = ledger.sent({ kind: 'create', mark });
    return (status, body) => ledger.acked(op, status, body);
  };
}

interface Kind {
  readonly at: Registry;
  readonly from: string;
  readonly ids: string[];
}

/** Honest clients of the same tenant and another network, of another tenant, and of the same tenant and network. */
async function honestKinds(
  node: Registry,
  second: Registry,
  { url, record }: { readonly url: (number: number) => string; readonly record: Recorder },
): Promise<readonly Kind[]> {
  const kinds = [
    { at: node, from: '203.0.113.7' },
    { at: second, from: STRANGER },
    { at: node, from: STRANGER },
  ];
  let number = 0;
  return await Promise.all(
    kinds.map(async ({ at, from }, kind) => {
      const urls = Array.from({ length: GROUPS * (GROUP[kind] ?? 0) }, () => url(++number));
      // The ledger is about the default tenant.
      const ids = await registerKeyed(at, urls, at === node ? record : undefined);
      return { at, from, ids: [...ids] };
    }),
  );
}
