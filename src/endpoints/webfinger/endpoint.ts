import type { Settings } from '../../config/settings.ts';
import { NotFound, OAuthError, quotedValue } from '../../spec/errors.ts';
import { parseParameters } from '../../spec/parameters.ts';
import type { Endpoint } from '../contract.ts';
import { contract, ISSUER_RELATION } from './contract.ts';

export interface WebfingerNeeds {
  readonly issuer: string;
  readonly settings: Pick<Settings, 'webfinger.domains'>;
  /** Seconds for which a cache may keep an answer. */
  readonly maxAge: number;
}

const PARAMETERS_MAX = 20;
const KNOWN = new Set(contract.inputs.map(({ name }) => name));
const REPEATABLE = new Set(['rel']);

/**
 * Names the issuer of an end-user at one of the server's domains (OpenID Connect Discovery 1.0 §2). It looks for no account, so
 * that a stranger cannot ask which names exist.
 */
export function webfinger({ issuer, settings, maxAge }: WebfingerNeeds): Endpoint {
  const headers = { 'content-type': 'application/jrd+json', 'cache-control': `public, max-age=${maxAge}` };
  return {
    contract,
    handle: ({ query }) => {
      const { resource, rel } = parseParameters(query, KNOWN, { parameters: PARAMETERS_MAX }, REPEATABLE);
      const domain = domainOf(resource);
      if (!settings['webfinger.domains'].includes(domain)) throw new NotFound();
      // RFC 7033 §4.3: "rel" limits the links, and changes nothing else.
      const isWanted = rel === undefined || rel.split(' ').includes(ISSUER_RELATION);
      const links = isWanted ? [{ rel: ISSUER_RELATION, href: issuer }] : [];
      return { status: 200, headers, body: JSON.stringify({ subject: resource, links }) };
    },
  };
}

/** RFC 7565 §7: the host stands behind the last at sign, which the name before it has in percent-encoding only. */
const ACCOUNT = /^acct:[^@\s/?#]{1,512}@(?<host>[^@\s/?#]{1,260})$/u;

/**
 * Returns the domain of an end-user, with the port where it is not the usual one.
 * @throws OAuthError invalid_request (RFC 7033 §4.2: "absent or malformed")
 */
function domainOf(resource: string | undefined): string {
  if (resource === undefined)
    throw new OAuthError('invalid_request', { error_description: 'the parameter resource is missing' });
  const host = ACCOUNT.exec(resource)?.groups?.['host'];
  const url = host === undefined ? resource : `https://${host}/`;
  if (!/^https:\/\/[^\s\\]*$/iu.test(url) || !URL.canParse(url))
    throw new OAuthError('invalid_request', {
      error_description: `resource ${quotedValue(resource)} must be acct:name@domain or an https address`,
    });
  return new URL(url).host;
}
