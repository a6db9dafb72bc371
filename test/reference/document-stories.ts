import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { consoleEndpoints } from '../../src/endpoints/console/endpoint.ts';
import { healthLive, healthReady } from '../../src/endpoints/health/endpoint.ts';
import { metrics } from '../../src/endpoints/metrics/endpoint.ts';
import { prometheusMetrics } from '../../src/system/metrics.ts';
import { PAGE_TOKEN } from '../../src/testing/external-sign-in.ts';
import { pngImage } from '../../src/testing/images.ts';
import { aPerson, authorizationUrl, browserOf, RELYING_PARTY } from '../../src/testing/person.ts';
import { testPlatform } from '../../src/testing/platform.ts';
import { ISSUER, type TestTenant } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const FEDERATION = { 'federation.enabled': true } as const;

const discovery: Story = async () => {
  const story = storyTenant();
  await story.tenant.send('openid-configuration');
  story.show('The metadata of a server with default settings', 200);
  return story;
};

const jwkSet: Story = async () => {
  const story = storyTenant();
  const { headers } = await story.tenant.send('jwk-set');
  story.show('The keys', 200);
  await story.tenant.send('jwk-set', { headers: { 'if-none-match': headers['etag'] ?? '' } });
  story.show('A cache asks whether they changed', 304);
  return story;
};

const signedJwkSet: Story = async () => {
  const story = storyTenant(FEDERATION);
  await story.tenant.send('signed-jwk-set');
  story.show('The keys, signed', 200);
  return story;
};

const noFederation: Story = async () => {
  const story = storyTenant();
  await story.tenant.send('signed-jwk-set');
  story.show('A server without federation', 404);
  return story;
};

const entityConfiguration: Story = async () => {
  const story = storyTenant(FEDERATION);
  await story.tenant.send('entity-configuration');
  story.show('The entity configuration', 200);
  return story;
};

const historicalKeys: Story = async () => {
  const story = storyTenant(FEDERATION);
  await story.tenant.send('federation-historical-keys');
  story.show('The former keys', 200);
  return story;
};

const namedIssuer: Story = async () => {
  const story = storyTenant({ 'webfinger.domains': ['example.com'] });
  await story.tenant.send('webfinger', { query: 'resource=acct%3Ajoe%40example.com' });
  story.show('The issuer of an end-user', 200);
  await story.tenant.send('webfinger', { query: 'resource=acct%3Ajoe%40example.org' });
  story.show('A foreign domain', 404);
  return story;
};

const protectedResource: Story = async () => {
  const story = storyTenant({ 'admin.listeners': 'both' });
  await story.tenant.send('protected-resource-userinfo');
  story.show('The UserInfo endpoint', 200);
  await story.tenant.send('protected-resource-administration');
  story.show('The administration API', 200);
  return story;
};

const openApi: Story = async () => {
  const story = storyTenant({ 'openapi.enabled': true });
  await story.tenant.send('open-api');
  story.show('The description', 200);
  return story;
};

const health: Story = async () => {
  const story = storyTenant();
  await story.tenant.ask(healthLive(), {});
  story.show('The process responds', 200);
  await story.tenant.ask(
    healthReady(() => ({ status: 'ready' })),
    {},
  );
  story.show('The server serves', 200);
  await story.tenant.ask(
    healthReady(() => ({ status: 'not-ready', reason: 'database is locked' })),
    {},
  );
  story.show('Its storage fails', 503);
  return story;
};

const consoleStory: Story = async () => {
  const story = storyTenant();
  const entry = {
    script: 'console-5f0c.js',
    modules: [],
    styles: ['console-9a31.css'],
    icon: 'icon-03bd.svg',
    messages: { en: 'en-77c0.json' },
  };
  const body = Buffer.from('import{render}from');
  const [page, redirect, file] = consoleEndpoints({
    facts: () => ({
      issuer: ISSUER,
      url: 'https://ops.example.com/console/',
      client_id: 'chancery-console',
      version: '1.0.0',
    }),
    files: async () =>
      await Promise.resolve({
        entry,
        file: (name) =>
          name === entry.script ? { mediaType: 'text/javascript; charset=utf-8', body } : undefined,
      }),
  });
  if (page === undefined || redirect === undefined || file === undefined)
    throw new Error('an endpoint lacks');
  await story.tenant.ask(page, {});
  story.show('The page', 200);
  await story.tenant.ask(redirect, {});
  story.show('The slash left out', 308);
  await story.tenant.ask(file, { segment: entry.script });
  story.show('A file of the page', 200);
  await story.tenant.ask(file, { segment: 'console-0000.js' });
  story.show('A file of another version', 404);
  return story;
};

const measured: Story = async () => {
  const story = storyTenant();
  const text = async (): Promise<string> =>
    await Promise.resolve('chancery_requests_total{endpoint="token",status="200"} 7\n');
  await story.tenant.ask(metrics({ ...prometheusMetrics(), text }), {});
  story.show('One of the metrics', 200);
  return story;
};

const startPage: Story = async () => {
  const story = storyTenant();
  await story.tenant.send('start-page');
  story.show('A person opens the issuer', 200);
  return story;
};

const logout: Story = async () => {
  const story = storyTenant();
  const browser = browserOf(story.tenant);
  await aPerson(story.tenant);
  const page = await browser.open(`${ISSUER}/logout`);
  story.show('The page asks the end-user', 200, 'end-session');
  await browser.submit(page, 'logout');
  story.show('The end-user signs out', 200, 'end-session-confirmation');
  return story;
};

const logoutPage: Story = async () => {
  const { all, shown, ...story } = await logout();
  return { ...story, all, shown: shown.slice(0, 1) };
};

const confirmation: Story = async () => {
  const { all, shown, ...story } = await logout();
  return { ...story, all, shown: shown.slice(1) };
};

/** A waiting request whose end-user was sent to the operator's page. */
async function sentOut(tenant: TestTenant): Promise<string> {
  const client = await tenant.register(RELYING_PARTY);
  const { location = '' } = await browserOf(tenant).open(authorizationUrl(client, { scope: 'openid email' }));
  return new URL(location).searchParams.get('interaction') ?? assert.fail(location);
}

const externalSignIn: Story = async () => {
  const story = storyTenant({
    'sign-in.external-url': 'https://login.example.net/start',
    'sign-in.token-sha256': [`page:${createHash('sha256').update(PAGE_TOKEN).digest('hex')}`],
  });
  const { tenant, show } = story;
  const id = await sentOut(tenant);
  await tenant.send('external-sign-in', { id, bearer: PAGE_TOKEN });
  show('The sign-in page asks about the request', 200);
  await tenant.send('external-sign-in-outcome', { id, bearer: PAGE_TOKEN, json: { amr: ['pwd'] } });
  show('An outcome without a subject', 400);
  const json = { subject: 'ada', amr: ['pwd', 'otp'], claims: { email: 'ada@example.com' } };
  await tenant.send('external-sign-in-outcome', { id, bearer: PAGE_TOKEN, json });
  show('It reports the sign-in, and sends the browser to `redirect_to`', 200);
  await tenant.send('external-sign-in-outcome', { id, bearer: PAGE_TOKEN, json });
  show('An outcome counts once', 404);
  return story;
};

/** Shows the file that a page names at this path. */
const fromPage =
  (path: string, endpoint: string, title: string): Story =>
  async () => {
    const get = async () =>
      await Promise.resolve({ status: 'ok', body: pngImage(480, 60), mediaType: 'image/png' } as const);
    const platform = testPlatform({ outbound: { get, urlProblem: () => undefined } });
    const story = storyTenant({}, { platform });
    const { tenant, show } = story;
    const client = await tenant.register({ ...RELYING_PARTY, logo_uri: 'https://client.example/logo.png' });
    const { html } = await browserOf(tenant).open(authorizationUrl(client));
    const [, segment = ''] = new RegExp(`${path}/([^"]+)"`, 'u').exec(html) ?? [];
    await tenant.send(endpoint, { segment });
    show(title, 200);
    await tenant.send(endpoint, { segment: 'unknown' });
    show('Another name', 404);
    return story;
  };

/** The stories about documents, pages and the operator, by the folder of the endpoint. */
export const DOCUMENT_STORIES: Readonly<Record<string, readonly Story[]>> = {
  discovery: [discovery],
  'jwk-set': [jwkSet],
  'signed-jwk-set': [signedJwkSet, noFederation],
  'entity-configuration': [entityConfiguration],
  'federation-historical-keys': [historicalKeys],
  'open-api': [openApi],
  webfinger: [namedIssuer],
  'protected-resource': [protectedResource],
  'start-page': [startPage],
  console: [consoleStory],
  health: [health],
  metrics: [measured],
  'end-session': [logoutPage],
  'end-session-confirmation': [confirmation],
  'external-sign-in': [externalSignIn],
  'client-logo': [fromPage('/logos', 'client-logo', 'The logo that a page shows')],
  'page-asset': [fromPage('/assets', 'page-asset', 'A file that a page names')],
};
