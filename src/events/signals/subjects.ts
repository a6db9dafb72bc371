import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../keys/digest.ts';
import type { EventStreamStore, StoredStream } from '../../ports/event-stream-store.ts';
import type { JsonValue } from '../../spec/json.ts';
import { Problem } from '../../spec/problems.ts';
import { canonical, partsOf, type SubjectIdentifier, subjectFault } from '../../spec/subject-identifier.ts';

export interface SubjectNeeds {
  readonly eventStreams: EventStreamStore;
  readonly settings: Pick<Settings, 'signals.subjects-max'>;
}

/** Reads a subject of a request. @throws Problem invalid_body */
export function readSubject(value: JsonValue | undefined): SubjectIdentifier {
  const fault = subjectFault(value);
  if (fault === undefined) return value as SubjectIdentifier;
  throw new Problem('invalid_body', `/subject ${fault}`, {
    errors: [{ pointer: '/subject', detail: fault }],
  });
}

/** The formats that the subjects of our events have. */
const OWN_FORMATS: ReadonlySet<string> = new Set(['iss_sub', 'opaque']);

/**
 * Leaves a subject out of a stream. It need not exist: the answer tells nothing about it (OpenID Shared Signals Framework 1.0
 * §9.1).
 * @throws Problem invalid_body for a subject that no event has; conflict if too many are left out
 */
export async function removeSubject(
  { eventStreams, settings }: SubjectNeeds,
  { id }: StoredStream,
  subject: SubjectIdentifier,
): Promise<void> {
  const formats =
    subject.format === 'complex'
      ? partsOf(subject).map(([, part]) => (part as SubjectIdentifier).format)
      : [subject.format];
  const foreign = formats.find((format) => !OWN_FORMATS.has(format));
  if (foreign !== undefined) {
    const detail = `has the format ${foreign}; the events of this server have iss_sub and opaque, so they would go on`;
    throw new Problem('invalid_body', `/subject ${detail}`, { errors: [{ pointer: '/subject', detail }] });
  }
  const content = canonical(subject);
  const max = settings['signals.subjects-max'];
  if (await eventStreams.exclude(id, { key: digestOf(content), content }, max)) return;
  throw new Problem(
    'conflict',
    `the stream leaves out ${max} subjects already (signals.subjects-max): add some again`,
  );
}

/** Takes a subject in again. Every other subject is in the stream already. */
export async function addSubject(
  { eventStreams }: Pick<SubjectNeeds, 'eventStreams'>,
  { id }: StoredStream,
  subject: SubjectIdentifier,
): Promise<void> {
  await eventStreams.include(id, digestOf(canonical(subject)));
}
