import type { VNode } from 'preact';
import { path, svg } from './elements.ts';

/** Lines of 24 × 24 pictures, drawn for the console. */
const PATHS = {
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8a7 7 0 0 1 14 0',
  add: 'M12 5v14M5 12h14',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7',
  back: 'M15 5l-7 7 7 7',
  backup:
    'M5 6c0-1.7 3.1-3 7-3s7 1.3 7 3-3.1 3-7 3-7-1.3-7-3ZM5 6v12c0 1.7 3.1 3 7 3s7-1.3 7-3V6M5 12c0 1.7 3.1 3 7 3s7-1.3 7-3',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  client: 'M4 5h16v12H4zM9 21h6M12 17v4',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  down: 'M6 9l6 6 6-6',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  federation:
    'M12 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM5.5 21a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM18.5 21a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM12 8v4M12 12H5.5v4M12 12h6.5v4',
  filter: 'M4 6h16M7 12h10M10 18h4',
  grant: 'M5 12.5l4 4L19 6M4 20h16',
  key: 'M15.5 12.5a4.5 4.5 0 1 0-4.2-2.9L4 17v3h3l1-1v-2h2v-2h2l1.2-2.3c.7.5 1.5.8 2.3.8ZM16.5 7.5h.01',
  language:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3.5 9h17M3.5 15h17M12 3c2.5 2.5 3.5 5.5 3.5 9s-1 6.5-3.5 9c-2.5-2.5-3.5-5.5-3.5-9s1-6.5 3.5-9',
  live: 'M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7.8 16.2a6 6 0 0 1 0-8.4M16.2 7.8a6 6 0 0 1 0 8.4M5 19a10 10 0 0 1 0-14M19 5a10 10 0 0 1 0 14',
  menu: 'M4 6h16M4 12h16M4 18h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  next: 'M9 5l7 7-7 7',
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 12h7v8h-7zM4 16h7v4H4z',
  refresh: 'M20 11a8 8 0 0 0-14.5-4L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 14.5 4l1.5-1.5M20 20v-4.5h-4.5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20 20l-4-4',
  session: 'M4 12h11M11 8l4 4-4 4M13 4h6v16h-6',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  tenant: 'M4 21V8l8-5 8 5v13M9 21v-6h6v6M4 21h16',
  theme: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  token: 'M4 8h16v3a2 2 0 0 0 0 4v3H4v-3a2 2 0 0 0 0-4zM13 8v2M13 13v2M13 17v1',
  trash: 'M5 7h14M10 4h4M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  undo: 'M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
  webhook: 'M9 8a3 3 0 1 1 4.6 2.5L11 15M15 16a3 3 0 1 1 0 3H8M6.5 12.6A3 3 0 1 0 9 19',
  warning: 'M12 4l9 16H3zM12 10v4.5M12 17.5h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** Draws a picture beside words; screen readers pass over it. */
export function icon(name: IconName): VNode {
  return svg(
    { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' },
    path({ d: PATHS[name] }),
  );
}
