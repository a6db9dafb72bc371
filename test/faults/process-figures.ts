import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../program/start.ts';

/** One gauge of /metrics; the highest of its workers, where there are several. */
async function metric(node: Program, name: string): Promise<number> {
  const answer = await fetch(`${node.managementUrl}/metrics`);
  const lines = (await answer.text()).split('\n').filter((line) => /^[ {]/u.test(line.slice(name.length)));
  const own = lines.filter((line) => line.startsWith(name));
  return Math.max(...own.map((line) => Number(line.slice(line.lastIndexOf(' ') + 1))));
}

/** The most since it was asked for the last time. */
export async function eventLoopDelayMax_ms(node: Program): Promise<number> {
  return (await metric(node, 'nodejs_eventloop_lag_max_seconds')) * 1000;
}

export const residentBytes = (program: Program): number => statusBytes(program, 'VmRSS');

/** Resident memory without the pages of files. */
export const anonymousBytes = (program: Program): number => statusBytes(program, 'RssAnon');

function statusBytes({ pid }: Program, field: 'VmRSS' | 'RssAnon'): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'mu').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) * 1024;
}

export const openDescriptors = ({ pid }: Program): number => readdirSync(`/proc/${pid}/fd`).length;

/** Clients keep their connections for some seconds (`listen.keep-alive-timeout`). */
const SETTLED_BY_MS = 10_000;

/** How many files are open, once that are no more than `most`, or ten seconds later. */
export async function settledDescriptors(node: Program, most: number): Promise<number> {
  const deadline = performance.now() + SETTLED_BY_MS;
  for (;;) {
    const open = openDescriptors(node);
    if (open <= most || performance.now() > deadline) return open;
    await sleep(100);
  }
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;
