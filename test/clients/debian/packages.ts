import { spawnSync } from 'node:child_process';

/** The packages of Debian that each journey needs. */
const PACKAGES = {
  'nginx-auth-request': ['nginx', 'libnginx-mod-http-js'],
  mod_auth_openidc: ['apache2', 'libapache2-mod-auth-openidc'],
  'requests-oauthlib': ['python3-requests-oauthlib'],
  authlib: ['python3-authlib', 'python3-requests'],
  openid_connect: ['ruby', 'ruby-openid-connect', 'ruby-webrick'],
  oauth2: ['ruby', 'ruby-oauth2', 'ruby-webrick'],
  omniauth: ['ruby', 'ruby-omniauth-openid-connect', 'ruby-webrick'],
  'net-oauth2': ['libnet-oauth2-perl', 'libhttp-daemon-perl'],
  'go-oidc': ['golang-go', 'golang-golang-x-oauth2-dev', 'golang-github-coreos-go-oidc-dev'],
  'oidc-agent': ['oidc-agent-cli'],
  nginx: ['nginx-light', 'libnginx-mod-http-js'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Journey = keyof typeof PACKAGES;

/** Returns the packages of all journeys, or of one, that are not installed. */
export function missingPackages(...journeys: readonly Journey[]): readonly string[] {
  const wanted = (
    journeys.length === 0 ? Object.values(PACKAGES) : journeys.map((name) => PACKAGES[name])
  ).flat();
  return [...new Set(wanted)].filter((name) => {
    const { stdout } = spawnSync('dpkg-query', ['-W', '-f=${Status}', name], { encoding: 'utf8' });
    return stdout !== 'install ok installed';
  });
}

/** Returns the reason to skip a journey: its packages are not there, and apt-get could not bring them. */
export function skipReason(journey: Journey): string | false {
  const missing = missingPackages(journey);
  return missing.length === 0 ? false : `not installed: apt-get install ${missing.join(' ')}`;
}

/** Returns the journeys that are skipped on this machine, with the reason. */
export function journeysWithoutPackages(): readonly (readonly [journey: string, reason: string])[] {
  const names = Object.keys(PACKAGES) as Journey[];
  return names.flatMap((name) => {
    const reason = skipReason(name);
    return reason === false ? [] : [[name, reason] as const];
  });
}
