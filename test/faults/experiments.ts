import type { Experiment } from './experiment.ts';
import { backup } from './experiments/backup.ts';
import { clockJumps, clocksApart } from './experiments/clock.ts';
import { clockAtStart } from './experiments/clock-at-start.ts';
import { databaseLocked, databaseLockedWorkers } from './experiments/database-locked.ts';
import { databaseSlow } from './experiments/database-slow.ts';
import { diskFull } from './experiments/disk-full.ts';
import { failoverEtcd, failoverKill, failoverStopped } from './experiments/failover.ts';
import { flood } from './experiments/flood.ts';
import { hangingPeer } from './experiments/hanging-peer.ts';
import { ioErrors, readOnly } from './experiments/io-errors.ts';
import { kill } from './experiments/kill.ts';
import { killAtWrite } from './experiments/kill-at-write.ts';
import { logClosed } from './experiments/log-closed.ts';
import { memory } from './experiments/memory.ts';
import { memoryCaches, memoryLargeFile, memorySoak } from './experiments/memory-caches.ts';
import { nodeStopped } from './experiments/node-stopped.ts';
import { outboundFlood } from './experiments/outbound-flood.ts';
import { partitionClients, partitionDatabase } from './experiments/partition.ts';
import {
  postgresConnections,
  postgresRestart,
  postgresStopped,
  postgresTerminated,
} from './experiments/postgres-server.ts';
import { replica } from './experiments/replica.ts';
import { restart } from './experiments/restart.ts';
import { slowClients } from './experiments/slow-clients.ts';
import { soak } from './experiments/soak.ts';
import { stops } from './experiments/stops.ts';

/** In the order in which they run. */
export const EXPERIMENTS: readonly Experiment[] = [
  kill,
  killAtWrite,
  restart,
  diskFull,
  ioErrors,
  readOnly,
  databaseLocked,
  databaseLockedWorkers,
  postgresRestart,
  postgresTerminated,
  postgresConnections,
  postgresStopped,
  databaseSlow,
  failoverKill,
  failoverStopped,
  failoverEtcd,
  partitionDatabase,
  partitionClients,
  replica,
  clockJumps,
  clocksApart,
  clockAtStart,
  slowClients,
  flood,
  memory,
  memoryCaches,
  memoryLargeFile,
  memorySoak,
  hangingPeer,
  outboundFlood,
  nodeStopped,
  logClosed,
  stops,
  backup,
  soak,
];
