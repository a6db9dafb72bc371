import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { type ClientInstance, IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';
import { LOCATOR_LENGTH, locatorAt } from '../tokens/token-identifier.ts';

const RANDOM_LENGTH = IDENTIFIER_LENGTHS.instance - LOCATOR_LENGTH;

/**
 * Names a registration that begins now. Instances sort by their time, so that registrations of one moment share the pages of the
 * index that finds them (ADR 106). They are no secret: the random rest keeps apart what two processes make in one millisecond.
 */
export function newInstance({
  clock,
  random,
}: {
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly random: Random;
}): ClientInstance {
  return (locatorAt(clock.milliseconds()) + random.alphanumeric(RANDOM_LENGTH)) as ClientInstance;
}
