// Preloaded into a started program: shifts its wall clock by the seconds that a file holds, while it runs. Its monotonic
// clock and its timers go on as they are. Plain JavaScript, because worker threads load it too.
import { readFileSync } from 'node:fs';

const file = process.env.TEST_CLOCK_OFFSET_FILE;
const trueNow = Date.now.bind(Date);
const TrueDate = Date;

function now() {
  return trueNow() + Number(readFileSync(file, 'utf8')) * 1000;
}

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  apply: () => new TrueDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
