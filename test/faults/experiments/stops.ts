import { type Experiment, milliseconds } from '../experiment.ts';
import { ANSWERS_BEFORE, stopUnderLoad } from '../stop-under-load.ts';

/** For each kind of server. */
const STOPS_MAX = 20;

interface Kind {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}

const KINDS: readonly Kind[] = [1, 0].flatMap((delay) =>
  [1, 2].map((workers) => ({
    name: `stop.delay ${delay}, workers ${workers}`,
    environment: { CHANCERY_STOP_DELAY: String(delay), CHANCERY_WORKERS: String(workers) },
  })),
);

export const stops: Experiment = {
  name: 'stops',
  fault: 'H-248 SIGTERM under 64 clients in a closed loop, who come back until they are refused',
  engines: ['sqlite'],
  acked_min: (rounds) => KINDS.length * Math.min(rounds, STOPS_MAX) * ANSWERS_BEFORE,
  async run(stand, { rounds, say }) {
    const count = Math.min(rounds, STOPS_MAX);
    const broken: string[] = [];
    const figures: Record<string, string> = {};
    let acked = 0;
    for (const { name, environment } of KINDS) {
      const seen = { cut: 0, answered: 0, announced: 0, quiet: 0, slowest_ms: 0 };
      for (let stop = 0; stop < count; stop += 1) {
        const program = await stand.start({ environment });
        const { cut, exit, ...one } = await stopUnderLoad(program);
        seen.cut += cut.length;
        seen.answered += one.answered;
        seen.announced += one.announced;
        seen.quiet += one.quiet;
        seen.slowest_ms = Math.max(seen.slowest_ms, one.stopped_ms);
        broken.push(...cut.map((how) => `${name}, stop ${stop + 1}: ${how}`));
        if (exit !== 0) broken.push(`${name}, stop ${stop + 1}: the server ended with ${exit}`);
      }
      acked += seen.answered;
      figures[`${name}: requests cut, of ${seen.answered} in ${count} stops`] = String(seen.cut);
      figures[`${name}: ends announced / idle connections closed`] = `${seen.announced} / ${seen.quiet}`;
      figures[`${name}: slowest stop`] = milliseconds(seen.slowest_ms);
      say(`${name}: ${seen.cut} cut in ${count} stops`);
    }
    const none = { lost: [], half_written: [], used_twice: [], revoked_active: [] };
    return { ...none, acked, unknown: 0, broken, figures };
  },
};
