import { getPriority, setPriority } from 'node:os';

/**
 * Lets others go first where they want the same core. A system may forbid it (a filter of system calls); the work then goes on
 * with the priority that it has. One that is lower already stays.
 * @param niceness as `nice` gives it, 1 to 19
 * @param id of a process, or of a thread on Linux; 0 is the caller
 */
export function lowerPriority(
  niceness: number,
  id = 0,
  set: (id: number, niceness: number) => void = setPriority,
): void {
  try {
    if (getPriority(id) < niceness) set(id, niceness);
  } catch {
    // Nothing depends on it but the time of other requests.
  }
}

/** As `nice` gives it: 3 % of a core that a server wants whole. The threads of V8 have 19 there, which is 1 % (ADR 103). */
const BESIDE_SERVERS = 15;

/** Lets servers go first for as long as this process lives (ADR 97). Call it only in a process that is no server. */
export function giveWayToServers(): void {
  lowerPriority(BESIDE_SERVERS);
}

/** The same for a thread. Elsewhere than on Linux the process would be meant, so nothing changes. */
export function lowerThreadPriority(niceness: number, id = 0): void {
  if (process.platform === 'linux') lowerPriority(niceness, id);
}
