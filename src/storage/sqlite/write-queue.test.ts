import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Write } from '../verbs.ts';
import { type QueuedWrites, WriteQueue } from './write-queue.ts';

interface Named extends QueuedWrites {
  readonly name: string;
}

const SWEEP: Write = { name: 'database.giveBackPages', values: [500] };
const BEAT: Write = { name: 'database.heartbeat', values: [] };

const sweep = (name: string): Named => ({ name, writes: [SWEEP] });
const urgent = (name: string, writes = 1): Named => ({
  name,
  writes: Array.from({ length: writes }, () => BEAT),
});
const namesOf = (sent: readonly Named[]): readonly string[] => sent.map(({ name }) => name);

test('writes of requests share a commit and go before a sweep that came first', () => {
  const queue = new WriteQueue<Named>();
  queue.add(sweep('sweep'), 0);
  queue.add(urgent('one'), 1);
  queue.add(urgent('two', 3), 2);
  assert.deepEqual(namesOf(queue.next(3)), ['one', 'two']);
  assert.deepEqual(namesOf(queue.next(3)), ['sweep']);
  assert.deepEqual(queue.next(3), []);
});

test('a sweep has a commit of its own, also beside another sweep', () => {
  const queue = new WriteQueue<Named>();
  queue.add(sweep('first'), 0);
  queue.add(sweep('second'), 0);
  assert.deepEqual(namesOf(queue.next(0)), ['first']);
  assert.deepEqual(namesOf(queue.next(0)), ['second']);
});

test('a sweep that has waited for 20 ms goes next, however many requests write', () => {
  const queue = new WriteQueue<Named>();
  queue.add(sweep('sweep'), 100);
  queue.add(urgent('one'), 100);
  assert.deepEqual(namesOf(queue.next(119)), ['one']);
  queue.add(urgent('two'), 119);
  assert.deepEqual(namesOf(queue.next(120)), ['sweep']);
  assert.deepEqual(namesOf(queue.next(120)), ['two']);
});

test('a commit has at most 1,024 writes, and at least one message whole', () => {
  const queue = new WriteQueue<Named>();
  queue.add(urgent('large', 2_000), 0);
  queue.add(urgent('a', 1_000), 0);
  queue.add(urgent('b', 24), 0);
  queue.add(urgent('c'), 0);
  assert.deepEqual(namesOf(queue.next(0)), ['large']);
  assert.deepEqual(namesOf(queue.next(0)), ['a', 'b']);
  assert.deepEqual(namesOf(queue.next(0)), ['c']);
});
