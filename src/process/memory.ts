import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { ProcessCaches } from '../spec/caches.ts';

/** The memory of the machine or container, in bytes. */
export interface MachineMemory {
  /** The memory that all processes of the server may use together. */
  readonly limit: number;
  /** The heap limit of V8 in this process. */
  readonly heap: number;
}

/** Returns what this process can know. A container's limit above the memory of the machine is none. */
function machineMemory(): MachineMemory {
  const limit = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  return { limit, heap: getHeapStatistics().heap_size_limit };
}

/** How one process divides its memory, in bytes. */
export interface MemoryPlan {
  /** The share of this process. */
  readonly limit: number;
  readonly caches: number;
  /** Request bodies that are under way. */
  readonly bodies: number;
  /** The most that the process needs. */
  readonly needed: number;
  /** Why the settings do not fit, for the log. */
  readonly concerns: readonly string[];
}

const MIB = 1024 * 1024;

/** Code, buffers, and the heap of an idle process, without pages of files. Seen: 95 to 110 MiB. */
const BASE = 120 * MIB;
/** The heap of an idle process. Seen: 45 MiB. */
const BASE_HEAP = 56 * MIB;
/**
 * The old generation grows by this percentage between two collections. Without a limit of its own V8 lets a heap of
 * 270 MB grow to four times its size before it collects.
 */
const GROWTH_PERCENT = 40;
const GROWTH = 1 + GROWTH_PERCENT / 100;
const CACHES_MAX = 384 * MIB;
const CACHES_MIN = 16 * MIB;
/** The part of the container's limit that bodies may take. */
const BODIES_SHARE = 1 / 8;

/** Divides the memory of a process among its caches and the rest. */
export function planMemory(settings: Settings, machine = machineMemory()): MemoryPlan {
  const processes = settings.workers;
  const limit = Math.floor(machine.limit / processes);
  const given = (settings['cache.memory'] * MIB) / processes;
  const bodies = Math.max(settings['limits.body'], Math.min(settings['limits.bodies'], limit * BODIES_SHARE));
  const passwords = settings['password.concurrency'] * settings['password.memory'] * 1024;
  const rest = BASE + bodies + passwords;
  const fitting = Math.min(limit - rest, machine.heap - BASE_HEAP) / GROWTH;
  const caches = given > 0 ? given : Math.min(CACHES_MAX, Math.max(CACHES_MIN, fitting));
  const needed = rest + caches * GROWTH;
  return {
    limit,
    caches,
    bodies,
    needed,
    concerns: concernsOf(settings, machine, { limit, caches, needed }),
  };
}

function concernsOf(
  { workers }: Settings,
  { heap }: MachineMemory,
  { limit, caches, needed }: Pick<MemoryPlan, 'limit' | 'caches' | 'needed'>,
): readonly string[] {
  const heapNeeded = BASE_HEAP + caches * GROWTH;
  const shared = workers === 1 ? '' : ` (a ${workers}th of the whole)`;
  return [
    ...(needed > limit
      ? [
          `these settings need ${inMebibytes(needed)} of memory in each process, and it has ${inMebibytes(limit)}${shared}: lower cache.memory, password.memory, password.concurrency or workers, or raise the limit`,
        ]
      : []),
    ...(heapNeeded > heap
      ? [
          `caches of ${inMebibytes(caches)} need a heap of ${inMebibytes(heapNeeded)}, and the limit of the heap is ${inMebibytes(heap)}: lower cache.memory, or start with NODE_OPTIONS=--max-old-space-size=${Math.ceil(heapNeeded / MIB)}`,
        ]
      : []),
  ];
}

const inMebibytes = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;

/** The memory of a process that serves. */
export interface ProcessMemory extends Pick<MemoryPlan, 'bodies'> {
  readonly caches: ProcessCaches;
  /**
   * Logs how the memory is divided, and a warning where it does not suffice. Called when the service is open: a start that
   * fails says nothing else.
   */
  report(log: Log): void;
}

/** Opens the caches of a process that serves, and limits the growth of its heap. */
export function openMemory(settings: Settings, machine = machineMemory()): ProcessMemory {
  boundHeapGrowth();
  const { limit, caches, bodies, needed, concerns } = planMemory(settings, machine);
  const mebibytes = { limit, heap: machine.heap, caches, bodies, needed };
  const members = Object.entries(mebibytes).map(([name, bytes]) => [`${name}_mib`, Math.round(bytes / MIB)]);
  return {
    bodies,
    caches: new ProcessCaches(caches),
    report(log) {
      log.info(Object.fromEntries(members), 'memory of this process');
      for (const concern of concerns) log.warn({}, concern);
    },
  };
}

/** Makes V8 collect before the heap has grown far beyond what lives in it. For processes that serve, and their threads. */
function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
