import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { corruptionDrill } from './corruption.ts';
import { damagedLogDrill } from './damaged-log.ts';

test('a damaged database is refused in one line, or found by storage check where its structure is hurt; a sound one is neither (F8)', async (context) => {
  const detections = await corruptionDrill(6, (below) => randomInt(below));
  for (const { fault, tried, start, check, wild } of detections) {
    context.diagnostic(
      `${fault}: ${tried} tried, ${start} refused at the start, ${check} found by the check`,
    );
    assert.deepEqual(wild, [], fault);
  }
  const found = new Map(detections.map((detection) => [detection.fault, detection]));
  for (const fault of ['cut short', 'another file', 'a page of zeros']) {
    const { tried, check } = found.get(fault) ?? assert.fail(fault);
    assert.equal(check, tried, fault);
  }
  assert.equal(found.get('none')?.check, 0);
  assert.ok((found.get('interior page of a table')?.tried ?? 0) > 0, [...found.keys()].join());
});

test('after a crash: without the -shm nothing is missing, without the -wal nothing starts; a log that is cut or changed gives what was acknowledged up to there, and never a part (F8)', async () => {
  const drilled = await damagedLogDrill(12, (below) => randomInt(below));
  const found = new Map(drilled.map(({ fault, ...tally }) => [fault, tally]));
  for (const [fault, { wild }] of found) assert.deepEqual(wild, [], fault);
  for (const fault of ['nothing but the crash', '-shm removed', '-shm of zeros']) {
    assert.equal(found.get(fault)?.complete, 1, fault);
  }
  assert.equal(found.get('-wal removed')?.refused, 1);
  // SQLite takes what stands before the damage: neither it nor we can tell that there was more.
  for (const fault of ['-wal cut short', 'a byte of the -wal']) {
    assert.equal(found.get(fault)?.shortened, 12, fault);
  }
});
