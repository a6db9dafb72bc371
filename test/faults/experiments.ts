import type { Experiment } from './experiment.ts';
import { databaseLocked } from './experiments/database-locked.ts';
import { databaseSlow } from './experiments/database-slow.ts';
import { diskFull } from './experiments/disk-full.ts';
import { ioErrors, readOnly } from './experiments/io-errors.ts';
import { kill } from './experiments/kill.ts';
import { killAtWrite } from './experiments/kill-at-write.ts';
import { nodeStopped } from './experiments/node-stopped.ts';
import {
  postgresConnections,
  postgresRestart,
  postgresStopped,
  postgresTerminated,
} from './experiments/postgres-server.ts';
import { soak } from './experiments/soak.ts';

/** In the order in which they run. */
export const EXPERIMENTS: readonly Experiment[] = [
  kill,
  killAtWrite,
  diskFull,
  ioErrors,
  readOnly,
  databaseLocked,
  postgresRestart,
  postgresTerminated,
  postgresConnections,
  postgresStopped,
  databaseSlow,
  nodeStopped,
  soak,
];
