// npm run federation:vectors [-- --dialect final|interface]: the 2,019 public vectors of metadata policies over live chains, at a
// Chancery that the command starts. It prints counts, and the number of each vector that ends wrongly, never a vector.
import { parseArgs } from 'node:util';
import { startChancery } from './targets/chancery.ts';
import { readVectors, runVectors } from './vectors.ts';

const { values } = parseArgs({
  options: {
    dialect: { type: 'string' },
    'at-once': { type: 'string', default: '12' },
  },
});

const vectors = readVectors();
const started = await startChancery();
try {
  for (const dialect of ['final', 'interface'] as const) {
    if (values.dialect !== undefined && values.dialect !== dialect) continue;
    const begun = performance.now();
    const counts = await runVectors(started.world, dialect, vectors, {
      atOnce: Number(values['at-once']),
      wrong({ n }, ending) {
        process.exitCode = 1;
        console.log(`${dialect}: vector ${n}: ${ending}`);
      },
    });
    const told = [...counts].toSorted(([, one], [, other]) => other - one);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    console.log(
      `${dialect}: ${vectors.length} vectors: ${told.map(([kind, count]) => `${count} ${kind}`).join(', ')} (${seconds} s)`,
    );
  }
} finally {
  await started.stop();
}
