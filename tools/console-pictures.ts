import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { administer, visit } from '../test/browser/console-visitor.ts';
import { startFederatedProgram } from '../test/browser/federated-program.ts';
import type { Program } from '../test/program/start.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

interface Picture {
  readonly name: string;
  readonly place: string;
  readonly viewport: typeof DESKTOP;
  readonly colorScheme: 'light' | 'dark';
  /** Shows the part below the edge of the screen too. */
  readonly fullPage?: true;
  readonly act?: (page: Page) => Promise<void>;
}

/** The pages that the documents show. @param member the client_id of a member of the federation @param lost an entity without a chain */
const pictures = (member: string, lost: string): readonly Picture[] => [
  { name: 'overview', place: '', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'clients', place: 'clients', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'client', place: 'clients/paper-clips/metadata', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'history', place: 'clients/paper-clips/history', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'keys', place: 'keys', viewport: DESKTOP, colorScheme: 'dark' },
  {
    name: 'chain',
    place: `federation/members/${member}`,
    viewport: DESKTOP,
    colorScheme: 'light',
    fullPage: true,
  },
  { name: 'clients', place: 'clients', viewport: PHONE, colorScheme: 'dark' },
  {
    name: 'resolution',
    place: `federation/resolve?entity_id=${encodeURIComponent(lost)}`,
    viewport: PHONE,
    colorScheme: 'dark',
    act: async (page) => {
      await page.getByRole('button', { name: 'Resolve' }).click();
      await page.getByText('status 404').first().waitFor();
      await page.locator('.chain-box').last().scrollIntoViewIfNeeded();
    },
  },
];

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

const LIBRARY = {
  client_name: 'University Library',
  redirect_uris: ['https://library.example.edu/cb'],
  token_endpoint_auth_method: 'client_secret_basic',
};

/** Takes the pictures of the console that the documents show, of a development server with a few clients and a federation. */
export async function consolePictures(folder: string): Promise<void> {
  const { program, ...federated } = await startFederatedProgram();
  try {
    await makeClients(program);
    const member = await federated.register('library', LIBRARY);
    const lost = federated.authorities.entity('unknown');
    lost.publish([federated.organisation]);
    for (const { name, place, viewport, colorScheme, fullPage = false, act } of pictures(member, lost.id)) {
      const visitor = await visit(program, undefined, { viewport, colorScheme });
      await visitor.go(`#/${place}`);
      await act?.(visitor.page);
      const size = viewport === PHONE ? 'phone' : 'desktop';
      const path = join(folder, `console-${name}-${size}-${colorScheme}.png`);
      await visitor.page.screenshot({ path, caret: 'hide', fullPage });
      await visitor.browser.close();
    }
  } finally {
    await federated.stop();
  }
}

async function makeClients(program: Program): Promise<void> {
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
}
