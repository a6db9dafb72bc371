import type { Settings } from '../config/settings.ts';
import { type OpenStreams, openStreams } from '../events/streams.ts';

/** The streams of a process. Streams of the administration and of resource servers do not take each other's places. */
export interface ProcessStreams {
  readonly streams: OpenStreams;
  readonly revocationStreams: OpenStreams;
}

export const processStreams = (settings: Settings): ProcessStreams => ({
  streams: openStreams({
    total: settings['events.streams'],
    perCaller: settings['events.streams-per-caller'],
  }),
  revocationStreams: openStreams({
    total: settings['revocation-feed.streams'],
    perCaller: settings['revocation-feed.streams-per-client'],
  }),
});
