import { digestOf, sameDigest } from '../keys/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { InteractionStore, StoredInteraction } from '../ports/interaction-store.ts';
import type { Random } from '../ports/random.ts';
import { OAuthError } from '../spec/errors.ts';
import { IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';

export interface InteractionNeeds {
  readonly interactions: InteractionStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Seconds. */
  readonly interactionLifetime: number;
}

/** A request that waits for its end-user, opened. The ticket of a change or completion. */
export interface Interaction<Content> {
  readonly stored: StoredInteraction;
  readonly content: Content;
}

export interface BegunInteraction {
  /** For the page's address. */
  readonly handle: string;
  /** For the browser's cookie: what it sent, or a new one. */
  readonly browser: string;
}

/** An authorisation request is bounded by what a header section or a form may hold; this is more than both by default. */
const CONTENT_BYTES_MAX = 131_072;

/**
 * Keeps a request until its end-user has answered. The handle in the page's address tells several tabs apart; the cookie
 * keeps a handle that somebody else was sent from being good for anything.
 *
 * @param browser the cookie of an interaction before it in this browser
 * @throws OAuthError invalid_request when the content is too large to be kept
 */
export async function beginInteraction(
  { interactions, clock, random, interactionLifetime }: InteractionNeeds,
  kind: StoredInteraction['kind'],
  content: object,
  browser: string | undefined,
): Promise<BegunInteraction> {
  const handle = random.alphanumeric(IDENTIFIER_LENGTHS.session);
  const bound = browser ?? random.alphanumeric(IDENTIFIER_LENGTHS.session);
  const now = clock.now();
  await interactions.begin({
    key: digestOf(handle),
    kind,
    browser: digestOf(bound),
    version: 1,
    content: bounded(content),
    created_at: now,
    expires_at: now + interactionLifetime,
  });
  return { handle, browser: bound };
}

/** Undefined for a handle that is unknown, completed, expired, of another kind or of another browser. */
export async function findInteraction<Content>(
  { interactions, clock }: Pick<InteractionNeeds, 'interactions' | 'clock'>,
  kind: StoredInteraction['kind'],
  handle: string,
  browser: string | undefined,
): Promise<Interaction<Content> | undefined> {
  const stored = await interactions.find(digestOf(handle));
  if (stored === undefined || browser === undefined) return undefined;
  const own = stored.kind === kind && sameDigest(stored.browser, digestOf(browser));
  return own && stored.expires_at > clock.now()
    ? { stored, content: JSON.parse(stored.content) as Content }
    : undefined;
}

/**
 * The same for a caller that is no browser, and has proven by something else that it may know. What it does with it must
 * not be good for anything without the browser that the interaction began in.
 */
export async function findInteractionOfAnyBrowser<Content>(
  { interactions, clock }: Pick<InteractionNeeds, 'interactions' | 'clock'>,
  kind: StoredInteraction['kind'],
  handle: string,
): Promise<Interaction<Content> | undefined> {
  const stored = await interactions.find(digestOf(handle));
  if (stored === undefined || stored.kind !== kind || stored.expires_at <= clock.now()) return undefined;
  return { stored, content: JSON.parse(stored.content) as Content };
}

/** Undefined when it was changed or completed since it was found. */
export async function changeInteraction<Content extends object>(
  { interactions }: Pick<InteractionNeeds, 'interactions'>,
  { stored }: Interaction<unknown>,
  content: Content,
): Promise<Interaction<Content> | undefined> {
  const text = bounded(content);
  if ((await interactions.change(stored, text)) !== 'done') return undefined;
  return { stored: { ...stored, version: stored.version + 1, content: text }, content };
}

/** Whether the caller is the one who does what was waiting; a double click, the back button and a second tab are not. */
export async function completeInteraction(
  { interactions }: Pick<InteractionNeeds, 'interactions'>,
  { stored }: Interaction<unknown>,
): Promise<boolean> {
  return (await interactions.complete(stored)) === 'done';
}

function bounded(content: object): string {
  const text = JSON.stringify(content);
  if (Buffer.byteLength(text) <= CONTENT_BYTES_MAX) return text;
  throw new OAuthError('invalid_request', { error_description: 'The request is too large to be kept.' });
}
