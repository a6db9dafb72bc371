import { ADMIN_CLIENT_STORIES } from './admin-client-stories.ts';
import { ADMIN_STORIES } from './admin-stories.ts';
import { BACKCHANNEL_STORIES } from './backchannel-stories.ts';
import { CLIENT_HISTORY_STORIES } from './client-history-stories.ts';
import { CLIENT_STORIES } from './client-stories.ts';
import { DEVICE_STORIES } from './device-stories.ts';
import { DOCUMENT_STORIES } from './document-stories.ts';
import { EVENT_STORIES } from './event-stories.ts';
import { FAPI_REPORT_STORIES } from './fapi-report-story.ts';
import { PEOPLE_STORIES } from './people-stories.ts';
import { SIGNAL_STORIES } from './signal-stories.ts';
import type { Story } from './story.ts';
import { TOKEN_STORIES } from './token-stories.ts';

/** The requests and answers of docs/reference/endpoints, by the folder of the endpoint. */
export const STORIES: Readonly<Record<string, readonly Story[]>> = {
  ...CLIENT_STORIES,
  ...TOKEN_STORIES,
  ...DEVICE_STORIES,
  ...BACKCHANNEL_STORIES,
  ...DOCUMENT_STORIES,
  ...ADMIN_STORIES,
  ...ADMIN_CLIENT_STORIES,
  ...EVENT_STORIES,
  ...SIGNAL_STORIES,
  ...CLIENT_HISTORY_STORIES,
  ...FAPI_REPORT_STORIES,
  ...PEOPLE_STORIES,
};
