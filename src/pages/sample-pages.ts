import type { DevelopmentPage, Page, PageClient, PageForm, PageNotice } from '../ports/pages.ts';

const client: PageClient = {
  name: 'Paper Clips',
  host: 'clips.example.com',
  vouched: true,
  policy_uri: 'https://clips.example.com/privacy',
  tos_uri: 'https://clips.example.com/terms',
};
/** Only the pages where one signs in and agrees show logos. */
const withLogo: PageClient = {
  ...client,
  organization: 'Clips Ltd',
  logo: { src: '/logos/sample', width: 48, height: 48 },
};
const stranger: PageClient = { name: 'Stranger', host: 'stranger.example.net', vouched: false };
const program: PageClient = {
  name: 'Program',
  host: '127.0.0.1:33418',
  id_host: 'program.example.org',
  impersonable: true,
  vouched: false,
};
const form: PageForm = { action: '/interaction', form_token: 'token' };
const notice: PageNotice = { error_id: 'm1x-42', detail: 'post_logout_redirect_uri is not registered' };

const development: DevelopmentPage = {
  kind: 'development',
  issuer: 'http://127.0.0.1:8080',
  version: '1.0.0',
  data: 'data',
  management: 'http://127.0.0.1:9090',
  account: 'developer',
  token: 'initial-access-token',
  action: '/',
  open: false,
  federation: true,
  refusals: [
    {
      at: '10:11:12',
      endpoint: 'authorization',
      status: '400',
      reason: 'unregistered-redirect-uri',
      detail: 'redirect_uri is not registered for this client',
      client: 'paper-clips',
    },
  ],
};

/** Every page in each of its forms. The server renders them with a theme before it serves the theme. */
export const SAMPLE_PAGES: Readonly<Record<string, Page>> = {
  start: { kind: 'start' },
  development: { ...development, token: undefined, refusals: [] },
  'development-token': development,
  'sign-in': { kind: 'sign-in', client: withLogo, form, username: '', problem: undefined },
  'sign-in-refused': { kind: 'sign-in', client: withLogo, form, username: 'ada', problem: 'refused' },
  'sign-in-wait': {
    kind: 'sign-in',
    client: undefined,
    form,
    username: 'ada',
    problem: { wait_seconds: 30 },
  },
  consent: {
    kind: 'consent',
    client: withLogo,
    form,
    username: 'ada',
    scope: ['openid', 'profile', 'email', 'clips:write'],
    claims: ['birthdate'],
    resources: ['https://api.example.com/clips'],
  },
  'consent-backchannel': {
    kind: 'consent',
    client: { name: 'Till', host: undefined, vouched: true },
    form,
    username: 'ada',
    scope: ['openid', 'email'],
    claims: [],
    resources: [],
    backchannel: { binding_message: 'Order 4711', address: '192.0.2.7' },
  },
  'consent-device': {
    kind: 'consent',
    client: { ...withLogo, host: undefined },
    form,
    username: 'ada',
    scope: ['openid', 'offline_access'],
    claims: [],
    resources: [],
    device: { user_code: 'WDJB-MJHT', address: '192.0.2.7' },
  },
  'consent-details': {
    kind: 'consent',
    client: withLogo,
    form,
    username: 'ada',
    scope: ['openid'],
    claims: [],
    resources: [],
    details: [
      {
        parts: [
          { text: 'pay ' },
          { value: '123.50' },
          { text: ' ' },
          { value: 'EUR' },
          { text: ' to ' },
          { value: 'Merchant A' },
        ],
      },
      {
        type: 'account_information',
        members: [
          { name: 'actions', value: 'list_accounts, read_balances, read_transactions' },
          { name: 'locations', value: 'https://example.com/accounts' },
        ],
      },
    ],
  },
  device: { kind: 'device', form, user_code: '', problem: undefined },
  'device-code': { kind: 'device', form, user_code: 'WDJB-MJHT', problem: undefined },
  'device-unknown': { kind: 'device', form, user_code: 'WDJB', problem: 'unknown' },
  'device-wait': { kind: 'device', form, user_code: 'WDJB-MJHT', problem: { wait_seconds: 30 } },
  'device-allowed': { kind: 'device-done', outcome: 'allowed' },
  'device-denied': { kind: 'device-done', outcome: 'denied' },
  'device-over': { kind: 'device-done', outcome: 'over' },
  requests: {
    kind: 'requests',
    username: 'ada',
    action: '/account/requests',
    requests: [
      {
        client: { name: 'Till', host: undefined, vouched: true },
        id: 'one',
        form_token: 'token',
        binding_message: 'Order 4711',
        address: '192.0.2.7',
        scope: ['openid', 'email'],
        since: '2026-11-23 10:00 UTC',
        until: '2026-11-23 10:02 UTC',
      },
    ],
    blocks: [
      {
        client: { name: 'Call centre', host: undefined, vouched: true },
        client_id: 'calls',
        form_token: 'token',
        until: '2027-11-23',
      },
    ],
  },
  'requests-none': {
    kind: 'requests',
    username: 'ada',
    action: '/account/requests',
    requests: [],
    blocks: [],
  },
  'backchannel-allowed': { kind: 'backchannel-done', outcome: 'allowed', requests: '/account/requests' },
  'backchannel-denied': { kind: 'backchannel-done', outcome: 'denied', requests: '/account/requests' },
  'backchannel-over': { kind: 'backchannel-done', outcome: 'over', requests: '/account/requests' },
  'backchannel-unanswered': {
    kind: 'backchannel-done',
    outcome: 'unanswered',
    requests: '/account/requests',
  },
  'consent-stranger': {
    kind: 'consent',
    client: stranger,
    form,
    username: 'ada',
    scope: ['openid', 'offline_access', 'admin:clients:read', 'admin:clients:write'],
    claims: [],
    resources: [],
  },
  'consent-document': {
    kind: 'consent',
    client: program,
    form,
    username: 'ada',
    scope: ['offline_access'],
    claims: [],
    resources: [],
  },
  logout: { kind: 'logout', client, form, username: 'ada', notice: undefined },
  'logout-notice': { kind: 'logout', client: undefined, form, username: undefined, notice },
  applications: {
    kind: 'applications',
    username: 'ada',
    action: '/account/applications',
    applications: [
      { client, client_id: 'clips', form_token: 'token', scope: ['openid', 'email'], since: '2026-11-23' },
      { client: program, client_id: 'program', form_token: 'token', scope: [], since: '2026-11-22' },
    ],
  },
  'applications-none': { kind: 'applications', username: 'ada', action: '/account', applications: [] },
  'signed-out': { kind: 'signed-out', outcome: 'ended', notice: undefined },
  'signed-out-kept': { kind: 'signed-out', outcome: 'kept', notice: undefined },
  'signed-out-none': { kind: 'signed-out', outcome: 'none', notice },
  'front-channel-logout': {
    kind: 'front-channel-logout',
    frames: ['https://clips.example.com/logout?a=b&iss=https%3A%2F%2Fop.example.com&sid=s1'],
    location: 'https://clips.example.com/signed-out?state=x',
    wait_seconds: 5,
    notice: undefined,
  },
  'front-channel-logout-stays': {
    kind: 'front-channel-logout',
    frames: ['https://clips.example.com/logout', 'https://other.example.com/logout'],
    location: undefined,
    wait_seconds: 5,
    notice,
  },
  error: { kind: 'error', error: 'invalid_request', notice },
  'error-over': { kind: 'error', error: 'interaction_over', notice },
  'error-client': { kind: 'error', error: 'invalid_client', notice },
  'error-wait': { kind: 'error', error: 'temporarily_unavailable', notice, wait_seconds: 30 },
  leave: {
    kind: 'leave',
    client: stranger,
    error: 'access_denied',
    location: 'https://stranger.example.net/cb?error=access_denied&state="><script>',
    post: undefined,
  },
  'leave-granted': {
    kind: 'leave',
    client: { ...stranger, host: 'stranger:' },
    error: undefined,
    location: 'stranger://host/cb?code=abc&state="><script>',
    post: undefined,
  },
  'leave-post': {
    kind: 'leave',
    client: stranger,
    error: 'invalid_scope',
    location: undefined,
    post: { action: 'https://stranger.example.net/cb', parameters: [['state', '"><script>']] },
  },
  'form-post': {
    kind: 'form-post',
    action: 'https://clips.example.com/callback',
    client,
    parameters: [
      ['code', 'abc'],
      ['state', '"><script>'],
    ],
  },
};
