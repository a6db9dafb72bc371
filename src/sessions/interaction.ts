import type { Settings } from '../config/settings.ts';
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
  readonly settings: Settings;
}

/** A waiting request, with its parsed content. It is the ticket of a change or completion. */
export interface Interaction<Content> {
  readonly stored: StoredInteraction;
  readonly content: Content;
}

export interface BegunInteraction {
  /** The handle in the address of the page. */
  readonly handle: string;
  /** The value of the cookie: the one that the browser sent, or a new one. */
  readonly browser: string;
}

/** Limit of the content in bytes. It is above what the default limits of headers and forms admit. */
const CONTENT_BYTES_MAX = 131_072;

/**
 * Stores a request until its end-user answers. The handle in the address distinguishes several tabs. The
 * cookie makes a handle useless in another browser.
 * @param browser the cookie of an earlier interaction in this browser
 * @throws OAuthError invalid_request if the content is too large
 */
export async function beginInteraction(
  { interactions, clock, random, settings }: InteractionNeeds,
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
    expires_at: now + settings['interaction.lifetime'],
  });
  return { handle, browser: bound };
}

/**
 * Finds an interaction. Returns undefined for a handle that is unknown, completed, expired, of another kind
 * or of another browser.
 */
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
 * Finds an interaction for a caller that is not a browser and has proved its permission otherwise. Its result
 * must have no effect without the browser where the interaction began.
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

/** Changes the content. Returns undefined if another request changed or completed the interaction first. */
export async function changeInteraction<Content extends object>(
  { interactions }: Pick<InteractionNeeds, 'interactions'>,
  { stored }: Interaction<unknown>,
  content: Content,
): Promise<Interaction<Content> | undefined> {
  const text = bounded(content);
  if ((await interactions.change(stored, text)) !== 'done') return undefined;
  return { stored: { ...stored, version: stored.version + 1, content: text }, content };
}

/**
 * Completes the interaction. Returns true for one caller only, so that a double click, the back button and a
 * second tab do nothing.
 */
export async function completeInteraction(
  { interactions }: Pick<InteractionNeeds, 'interactions'>,
  { stored }: Interaction<unknown>,
): Promise<boolean> {
  return (await interactions.complete(stored)) === 'done';
}

function bounded(content: object): string {
  const text = JSON.stringify(content);
  if (Buffer.byteLength(text) <= CONTENT_BYTES_MAX) return text;
  throw new OAuthError('invalid_request', {
    error_description: `the request is too large to be stored: the limit is ${CONTENT_BYTES_MAX} bytes`,
  });
}
