import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** Where the figures come from, in one line. */
export function machine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  const versions = [
    `Node ${process.versions.node}`,
    `SQLite ${process.versions['sqlite']}`,
    ...['strace', 'patroni', 'etcd'].flatMap(versionOf),
  ];
  return `${availableParallelism()} × ${processor}, ${memory} GiB, ${process.platform} ${release()}; ${versions.join(', ')}.`;
}

/** Nothing where the program is not installed. */
function versionOf(program: string): readonly string[] {
  try {
    const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
    return [`${program} ${/\d[\w.]*/u.exec(said)?.[0] ?? ''}`];
  } catch {
    return [];
  }
}
