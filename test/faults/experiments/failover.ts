import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Outcome, Skipped } from '../experiment.ts';
import type { LoadFigures } from '../load-figures.ts';
import { type Cluster, noCluster, startCluster } from '../patroni-cluster.ts';
import type { Stand } from '../stand.ts';
import { underFault } from '../under-fault.ts';

const STOPPED_MS = 20_000;
const ETCD_AWAY_MS = 20_000;
const FAILOVER_MS = 15_000;
/** `storage.deadline`; and what a machine that does other things too takes for the rest of a request. */
const DEADLINE_MS = 2_000;
const SLOWEST_MS = 2 * DEADLINE_MS;

const hasMoved = (_figures: LoadFigures, moved: boolean): readonly string[] =>
  moved ? [] : ['the cluster has its former leader: there was no failover'];

export const failoverKill: Experiment = {
  name: 'failover-kill',
  fault: 'F10 kill -9 of the leader and its Patroni; three members, one synchronous, ttl 10',
  engines: ['postgres'],
  acked_min: () => 200,
  run: (stand) =>
    onCluster(
      stand,
      async (cluster) => {
        const leader = await cluster.leader();
        leader.signal('SIGKILL');
        await sleep(FAILOVER_MS);
      },
      hasMoved,
    ),
};

export const failoverStopped: Experiment = {
  name: 'failover-stopped',
  fault: 'F11 the leader is stopped for twenty seconds, and believes to be the leader when it wakes',
  engines: ['postgres'],
  acked_min: () => 200,
  run: (stand) =>
    onCluster(
      stand,
      async (cluster) => {
        const leader = await cluster.leader();
        leader.signal('SIGSTOP');
        await sleep(STOPPED_MS);
        leader.signal('SIGCONT');
        await sleep(FAILOVER_MS);
      },
      (figures, moved) => [
        ...hasMoved(figures, moved),
        ...(figures.writeGap_ms < STOPPED_MS
          ? []
          : [`writes waited ${Math.round(figures.writeGap_ms)} ms, for the old leader`]),
      ],
    ),
};

export const failoverEtcd: Experiment = {
  name: 'failover-etcd',
  fault: 'F12 etcd is away for twenty seconds',
  engines: ['postgres'],
  acked_min: () => 200,
  run: (stand) =>
    onCluster(
      stand,
      async (cluster) => {
        await cluster.killEtcd();
        await sleep(ETCD_AWAY_MS);
        await cluster.startEtcd();
        await sleep(FAILOVER_MS);
      },
      (figures) => (figures.times('during', 'write').failed > 0 ? [] : ['no write missed etcd']),
    ),
};

async function onCluster(
  stand: Stand,
  fault: (cluster: Cluster) => Promise<void>,
  expect: (figures: LoadFigures, moved: boolean) => readonly string[],
): Promise<Outcome | Skipped> {
  const skipped = noCluster();
  if (skipped !== undefined) return { skipped };
  const cluster = await startCluster();
  try {
    const environment = { CHANCERY_STORAGE_URL: cluster.url };
    const nodes = [await stand.start({ environment }), await stand.start({ environment })];
    const before = await cluster.leaderUrl();
    let moved = false;
    return await underFault(stand, {
      nodes,
      before_ms: 5_000,
      after_ms: 3_000,
      grace_ms: DEADLINE_MS,
      settle_ms: DEADLINE_MS,
      recovery_ms: 60_000,
      async fault() {
        await fault(cluster);
        stand.url = await cluster.leaderUrl();
        moved = stand.url !== before;
      },
      expect(figures) {
        const { max } = figures.times('during');
        return [
          ...expect(figures, moved),
          ...(max > SLOWEST_MS ? [`a request took ${Math.round(max)} ms`] : []),
        ];
      },
    });
  } finally {
    await cluster.stop();
  }
}
