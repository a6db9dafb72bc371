import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { corruptionDrill } from './corruption.ts';

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
