import { readFileSync } from 'node:fs';

/** The file that V8 writes with `--cpu-prof` (Chrome DevTools Protocol, Profiler.Profile). Times are in microseconds. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Monotonic, the same clock for all processes of a machine. */
  readonly startTime: number;
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Before each sample. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    /** `''` for native code, which its parent calls. */
    readonly url: string;
  };
  readonly children?: readonly number[];
}

export interface SelfTime {
  readonly functionName: string;
  /** The function's file. Native code counts for the file of its nearest caller. */
  readonly url: string;
  readonly microseconds: number;
}

/** Returns each function's own time between two moments (`monotonic`), longest first. */
export function selfTimes(path: string, from: number, to: number): readonly SelfTime[] {
  const profile = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile;
  const places = placesOf(profile.nodes);
  const found = new Map<string, SelfTime>();
  let now = profile.startTime;
  profile.samples.forEach((id, index) => {
    const microseconds = profile.timeDeltas[index] ?? 0;
    now += microseconds;
    const place = places.get(id);
    if (place === undefined || now < from || now > to) return;
    const name = `${place.functionName} ${place.url}`;
    found.set(name, { ...place, microseconds: (found.get(name)?.microseconds ?? 0) + microseconds });
  });
  return [...found.values()].sort((one, other) => other.microseconds - one.microseconds);
}

type Place = Omit<SelfTime, 'microseconds'>;

function placesOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, Place> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const places = new Map<number, Place>();
  const [root] = nodes;
  const open: { readonly node: ProfileNode; readonly caller: string }[] = [];
  if (root !== undefined) open.push({ node: root, caller: '' });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { functionName, url } = next.node.callFrame;
    const place = { functionName, url: url === '' ? next.caller : url };
    places.set(next.node.id, place);
    for (const id of next.node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) open.push({ node: child, caller: place.url });
    }
  }
  return places;
}

/** Returns the time in microseconds, by the clock of the profiles. */
export const monotonic = (): number => Number(process.hrtime.bigint() / 1000n);
