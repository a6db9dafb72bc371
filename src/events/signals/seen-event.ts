import type { KeyObject } from 'node:crypto';
import { metadataOf } from '../../clients/registered-client.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { EventStreamStore, StoredSecurityEvent, StoredStream } from '../../ports/event-stream-store.ts';
import type { Subject } from '../../spec/identifiers.ts';
import { covers, type SubjectIdentifier } from '../../spec/subject-identifier.ts';
import { factsOf, type SeenEvent, type SignalFacts, subjectOf } from './security-event.ts';

/** Returns those of these claims of an account that the client may have now, by its grants. */
export type ClaimsFor = (
  client: Pick<StoredClient, 'client_id' | 'instance'>,
  sub: Subject,
  claims: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>>>;

export interface SeeingNeeds {
  readonly eventStreams: Pick<EventStreamStore, 'excluded'>;
  readonly claimsFor: ClaimsFor;
  /** The secret of pairwise subjects. It never changes. */
  readonly pairwiseSecret: KeyObject;
}

/** Decides what a client sees of an event. Undefined: nothing, because it must not, or wants not, have the event. */
export type Eye = (event: StoredSecurityEvent) => Promise<SeenEvent | undefined>;

/** Opens the decisions about the events of one stream, with the subjects that it leaves out now. */
export async function eyeOf(needs: SeeingNeeds, stream: StoredStream, client: StoredClient): Promise<Eye> {
  const metadata = metadataOf(client);
  const excluded = (await needs.eventStreams.excluded(stream.id)).map(
    ({ content }) => JSON.parse(content) as SubjectIdentifier,
  );
  const kinds = new Set(stream.events.split(' '));
  return async (event) => {
    const { kind } = event;
    const facts = factsOf(event);
    const subject = subjectOf(stream, metadata, { kind, facts }, needs.pairwiseSecret);
    // Nothing takes the events about the stream itself out of it (OpenID Shared Signals Framework 1.0 §8.1.4.1).
    if (kind === 'verification' || kind === 'stream-updated') return { event, facts, subject };
    if (!kinds.has(kind) || excluded.some((left) => covers(left, subject))) return undefined;
    const permitted = await permittedFacts(needs, client, facts);
    return permitted === undefined ? undefined : { event, facts: permitted, subject };
  };
}

/** Takes out the claims that the client may not have. Without any other one there is no event. */
async function permittedFacts(
  { claimsFor }: SeeingNeeds,
  client: StoredClient,
  facts: SignalFacts,
): Promise<SignalFacts | undefined> {
  if (facts.claims === undefined || facts.sub === undefined) return facts;
  const claims = await claimsFor(client, facts.sub as Subject, facts.claims);
  return Object.keys(claims).length === 0 ? undefined : { ...facts, claims };
}
