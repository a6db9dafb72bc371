import { type MessagePort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../priority.ts';
import { codeOf, openWriteConnection, reasonOf } from './connection.ts';
import { displacement } from './database-file.ts';
import { type CheckpointOutcome, logConnection } from './log-keeper.ts';
import type { DatabasePlace } from './write-batch.ts';

export interface CheckpointThreadData {
  readonly place: DatabasePlace;
  readonly port: MessagePort;
}

/** `close` is the last one. */
export type CheckpointRequest = 'checkpoint' | 'close';

/** As `nice` gives it: requests go first where a checkpoint wants the same core. */
const NICENESS = 5;
const BUSY_TIMEOUT_MS = 250;

const { place, port } = workerData as CheckpointThreadData;
lowerThreadPriority(NICENESS);
let connection: ReturnType<typeof open> | undefined;

port.on('message', (request: CheckpointRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  if (request === 'checkpoint') return port.postMessage(checkpoint());
  connection?.database.close();
  port.close();
});

function checkpoint(): CheckpointOutcome {
  try {
    const displaced = displacement(place.path, place.files);
    if (displaced !== undefined) return { failure: displaced, errcode: undefined };
    connection ??= open();
    return connection.log.checkpoint();
  } catch (error) {
    return { failure: reasonOf(error), errcode: codeOf(error) };
  }
}

function open() {
  const database = openWriteConnection(place.path, BUSY_TIMEOUT_MS);
  return { database, log: logConnection(database, place.path) };
}
