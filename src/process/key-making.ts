import type { KeyMaker } from '../ports/key-maker.ts';
import { Budget } from './budget.ts';
import type { OpeningTime } from './tenant-openings.ts';

/**
 * Returns a maker that makes one key at a time, and rests as long as it has worked once it has worked for two seconds.
 * Strangers decide when the keys of new tenants are made: at full speed they would take every thread that signs.
 */
export function unhurriedKeyMaker(maker: KeyMaker, time: OpeningTime): KeyMaker {
  const budget = new Budget({ perSecond: 0.5, burst: 2 }, time);
  let last: Promise<unknown> = Promise.resolve();
  const rested = async (): Promise<void> => {
    const seconds = budget.wait(0);
    if (seconds > 0) await new Promise<void>((resolve) => time.later(seconds, resolve));
  };
  const madeAfter = async (before: Promise<unknown>, kind: Parameters<KeyMaker['makePrivateKey']>[0]) => {
    await before;
    await rested();
    const begun = time.seconds();
    try {
      return await maker.makePrivateKey(kind);
    } finally {
      budget.spend(time.seconds() - begun);
    }
  };
  return {
    thumbprint: async (jwk) => await maker.thumbprint(jwk),
    async makePrivateKey(kind) {
      const making = madeAfter(last, kind);
      last = making.catch(() => undefined);
      return await making;
    },
  };
}
