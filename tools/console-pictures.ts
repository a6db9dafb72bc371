import { join } from 'node:path';
import { administer, visit } from '../test/browser/console-visitor.ts';
import { startProgram } from '../test/program/start.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** The pages that the documents show: name, place, size and look. */
const PICTURES = [
  ['overview', '', DESKTOP, 'light'],
  ['clients', 'clients', DESKTOP, 'light'],
  ['client', 'clients/paper-clips/metadata', DESKTOP, 'dark'],
  ['history', 'clients/paper-clips/history', DESKTOP, 'light'],
  ['keys', 'keys', DESKTOP, 'dark'],
  ['audit', 'audit', DESKTOP, 'light'],
  ['clients', 'clients', PHONE, 'dark'],
  ['client', 'clients/paper-clips', PHONE, 'light'],
] as const;

const CLIENTS: readonly (readonly [client_id: string, metadata: object])[] = [
  ['atlas-maps', { client_name: 'Atlas Maps', redirect_uris: ['https://maps.example.com/callback'] }],
  ['court-calendar', { client_name: 'Court Calendar', redirect_uris: ['https://court.example.com/cb'] }],
  ['exam-office', { client_name: 'Exam Office', grant_types: ['client_credentials'], scope: 'read:results' }],
  [
    'field-survey',
    {
      client_name: 'Field Survey',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/cb'],
      token_endpoint_auth_method: 'none',
    },
  ],
  ['harbour-log', { client_name: 'Harbour Log', redirect_uris: ['https://harbour.example.com/cb'] }],
  ['library-search', { client_name: 'Library Search', redirect_uris: ['https://library.example.com/cb'] }],
  ['night-train', { client_name: 'Night Train', grant_types: ['client_credentials'], scope: 'write:orders' }],
  [
    'paper-clips',
    {
      client_name: 'Paper Clips',
      redirect_uris: ['https://clips.example.com/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'openid profile email',
    },
  ],
];

/** Takes the pictures of the console that the documents show, of a development server with a few clients. */
export async function consolePictures(folder: string): Promise<void> {
  const program = await startProgram({ mode: 'dev' });
  try {
    for (const [client_id, metadata] of CLIENTS)
      await administer(program, '/clients', { method: 'POST', json: { client_id, metadata } });
    for (const [client_uri, reason] of [
      ['https://clips.example.com/', 'website was missing'],
      ['https://www.clips.example.com/', 'moved to www'],
    ])
      await administer(program, '/clients/paper-clips', {
        method: 'PATCH',
        json: { metadata: { client_uri } },
        headers: {
          'if-match': '*',
          'content-type': 'application/merge-patch+json',
          'audit-reason': reason ?? '',
        },
      });
    for (const [name, place, viewport, colorScheme] of PICTURES) {
      const visitor = await visit(program, undefined, { viewport, colorScheme });
      await visitor.go(`#/${place}`);
      const size = viewport === PHONE ? 'phone' : 'desktop';
      const path = join(folder, `console-${name}-${size}-${colorScheme}.png`);
      await visitor.page.screenshot({ path, caret: 'hide' });
      await visitor.browser.close();
    }
  } finally {
    await program.stop();
  }
}
