import { once } from 'node:events';
import type { LoadOrder } from './load.ts';
import { openAnswers, requestBytes } from './load-connection.ts';

const CONNECTIONS = 64;

/** A load that runs for a moment, again and again, over connections that stay open. */
export interface SlicedLoad {
  /** Sends for this long, and resolves with the number of answers when the last one has come. Rejects at any other status than 200 and 201. */
  run(milliseconds: number): Promise<number>;
  close(): void;
}

/** Opens 64 connections from this process. */
export async function openSlices(order: LoadOrder): Promise<SlicedLoad> {
  const requests = requestBytes(order);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let next = 0;
  let answered = 0;
  let underWay = 0;
  let isRunning = false;
  let idle: () => void = () => undefined;
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = openAnswers(order.port, {
      answered(status) {
        if (status === '200' || status === '201') answered += 1;
        else failure.reject(new Error(`an answer has the status ${status}`));
      },
      complete() {
        underWay -= 1;
        if (isRunning) send();
        else if (underWay === 0) idle();
      },
      fail: failure.reject,
    });
    const send = (): void => {
      next = (next + 1) % requests.length;
      underWay += 1;
      socket.write(requests[next] ?? '');
    };
    return { socket, send };
  });
  await Promise.all(sockets.map(async ({ socket }) => await once(socket, 'connect')));
  return {
    async run(milliseconds) {
      answered = 0;
      isRunning = true;
      const drained = new Promise<void>((resolve) => {
        idle = resolve;
      });
      for (const { send } of sockets) send();
      await Promise.race([awake(milliseconds), failure.promise]);
      isRunning = false;
      await Promise.race([drained, failure.promise]);
      return answered;
    },
    close() {
      for (const { socket } of sockets) socket.removeAllListeners('close').destroy();
    },
  };
}

/** Resolves after this time without sleeping: waking this process would be work for the server. */
async function awake(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
}
