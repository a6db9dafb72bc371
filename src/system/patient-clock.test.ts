import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patientClock } from './clock.ts';

const PATIENCE = 100;
const MINUTE = 60;

/** A patient clock over one that tests set, and time that only goes on. */
function clocks(): {
  patient: () => number;
  pass: (seconds: number) => void;
  jump: (seconds: number) => void;
} {
  let elapsed = 5;
  let wall = 1_000_000;
  const clock = { now: () => wall, milliseconds: () => wall * 1000 };
  const patient = patientClock(clock, { seconds: () => elapsed }, PATIENCE);
  return {
    patient: () => patient.now() - 1_000_000,
    pass(seconds) {
      elapsed += seconds;
      wall += seconds;
    },
    jump(seconds) {
      wall += seconds;
    },
  };
}

test('a patient clock follows the other clock', () => {
  const { patient, pass } = clocks();
  assert.equal(patient(), 0);
  for (let minute = 1; minute <= 10; minute += 1) {
    pass(MINUTE);
    assert.equal(patient(), minute * MINUTE);
  }
});

test('a jump ahead is ignored until the patience is over, and then followed (F16)', () => {
  const { patient, pass, jump } = clocks();
  jump(3_600);
  assert.equal(patient(), 0);
  pass(PATIENCE - 1);
  assert.equal(patient(), PATIENCE - 1, 'time goes on');
  pass(2);
  assert.equal(patient(), 3_600 + PATIENCE + 1);
});

test('a jump ahead that is corrected in time has no effect', () => {
  const { patient, pass, jump } = clocks();
  pass(10);
  jump(400 * 86_400);
  assert.equal(patient(), 10);
  pass(50);
  jump(-400 * 86_400);
  assert.equal(patient(), 60);
  pass(3 * PATIENCE);
  assert.equal(patient(), 60 + 3 * PATIENCE);
});

test('a clock that is set back is followed at once, and earlier readings are dropped', () => {
  const { patient, pass, jump } = clocks();
  jump(-3_600);
  assert.equal(patient(), -3_600);
  pass(10);
  jump(3_600);
  assert.equal(patient(), -3_590, 'ahead again: patience');
  pass(PATIENCE + 1);
  assert.equal(patient(), 11 + PATIENCE);
});
