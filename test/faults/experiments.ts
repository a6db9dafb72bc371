import type { Experiment } from './experiment.ts';
import { databaseLocked } from './experiments/database-locked.ts';
import { databaseSlow } from './experiments/database-slow.ts';
import { kill } from './experiments/kill.ts';
import { nodeStopped } from './experiments/node-stopped.ts';
import {
  postgresConnections,
  postgresRestart,
  postgresStopped,
  postgresTerminated,
} from './experiments/postgres-server.ts';

/** In the order in which they run. */
export const EXPERIMENTS: readonly Experiment[] = [
  kill,
  databaseLocked,
  nodeStopped,
  postgresRestart,
  postgresTerminated,
  postgresConnections,
  postgresStopped,
  databaseSlow,
];
