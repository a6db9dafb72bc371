import type { Settings } from '../config/settings.ts';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';
import { isAboutProof, OAuthError } from '../spec/errors.ts';
import { type BearerAttributes, bearerChallenge, dpopChallenge } from '../spec/www-authenticate.ts';
import { invalidToken, presentedBearer } from './bearer-token.ts';
import { confirmationOf, confirms } from './confirmation.ts';
import { type DpopNeeds, readDpopProof, takeDpopProof, verifyDpopProof } from './dpop-proof.ts';

/** An access token as a request shows it, with the scheme of its `Authorization` header. */
export interface PresentedToken {
  readonly token: string;
  readonly scheme: 'Bearer' | 'DPoP';
}

/** RFC 9449 §7.1: the scheme with a b64token. */
const DPOP = /^dpop ([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Returns the access token in the `Authorization` header (RFC 6750 §2.1, RFC 9449 §7.1); undefined without the header.
 * @param lengthMax characters
 * @throws OAuthError invalid_token
 */
export function presentedAccessToken(
  authorization: string | undefined,
  lengthMax: number,
): PresentedToken | undefined {
  const bound = authorization === undefined ? undefined : DPOP.exec(authorization)?.[1];
  if (bound !== undefined && bound.length <= lengthMax) return { token: bound, scheme: 'DPoP' };
  const token = presentedBearer(authorization, lengthMax);
  return token === undefined ? undefined : { token, scheme: 'Bearer' };
}

/**
 * Makes a 401 with the schemes that an access token can have. RFC 9449 §7.1: both challenges may stand in one header.
 * @param attributes the scope that the token must have, and the address of the resource's metadata (RFC 9728 §5.1), if any
 */
export function accessTokenNeeded(
  settings: Settings,
  attributes: Pick<BearerAttributes, 'scope' | 'resource_metadata'> = {},
): OAuthError {
  const { scope } = attributes;
  const bearer = bearerChallenge(attributes);
  const challenge = settings['dpop.enabled']
    ? `${bearer}, ${dpopChallenge(attributes, settings['signatures.algorithms'])}`
    : bearer;
  return new OAuthError('invalid_token', {
    error_description:
      scope === undefined ? 'an access token is needed' : `an access token with the scope ${scope} is needed`,
    challenge,
    reason: 'no-bearer-token',
  });
}

/** The parts of a request that prove keys. */
export interface ProvingRequest {
  readonly method: string;
  /** The path of the endpoint below the issuer. */
  readonly path: string;
  /** The value of the `DPoP` header. */
  readonly proof: string | undefined;
  readonly certificate: ClientCertificate | undefined;
}

/**
 * Requires that the sender of a request holds the keys that its token is bound to (RFC 8705 §3, RFC 9449 §7.1). A bound token is no
 * bearer token: with the other scheme it is refused, and so is a bearer token with the scheme DPoP (§7.2 there).
 * @throws OAuthError invalid_token, invalid_dpop_proof, use_dpop_nonce
 */
export async function requireHolder(
  dpop: DpopNeeds,
  found: StoredAccessToken,
  presented: PresentedToken,
  request: ProvingRequest,
): Promise<void> {
  try {
    await proveHolder(dpop, found, presented, request);
  } catch (failure) {
    throw withAlgorithms(failure, dpop.settings['signatures.algorithms']);
  }
}

/** Names the algorithms of this tenant in the challenge of a refused proof (RFC 9449 §7.1). */
function withAlgorithms(failure: unknown, algorithms: readonly string[]): unknown {
  if (!(failure instanceof OAuthError) || !isAboutProof(failure.code)) return failure;
  const { code, error_description, notes, headers } = failure;
  const challenge = dpopChallenge({ error: code, error_description }, algorithms);
  return new OAuthError(code, {
    ...notes,
    error_description,
    challenge,
    ...(headers === undefined ? {} : { headers }),
  });
}

async function proveHolder(
  dpop: DpopNeeds,
  found: StoredAccessToken,
  { token, scheme }: PresentedToken,
  { method, path, proof: header, certificate }: ProvingRequest,
): Promise<void> {
  const confirmation = confirmationOf(found);
  const { client_id: client } = found;
  if ((confirmation?.jkt !== undefined) !== (scheme === 'DPoP')) throw otherScheme(dpop, scheme, client);
  const proof =
    scheme === 'DPoP' ? readDpopProof(dpop, header, { method, path, accessToken: token }) : undefined;
  if (scheme === 'DPoP' && proof === undefined)
    throw new OAuthError('invalid_dpop_proof', {
      error_description: 'the request needs a DPoP proof',
      reason: 'dpop-proof',
      client,
    });
  if (confirmation !== undefined && !confirms({ certificate, jkt: proof?.jkt }, confirmation))
    throw invalidToken({ reason: scheme === 'DPoP' ? 'dpop-proof' : 'certificate-binding', client });
  if (proof === undefined) return;
  await verifyDpopProof(dpop, proof);
  await takeDpopProof(dpop, proof);
}

function otherScheme(
  { settings }: Pick<DpopNeeds, 'settings'>,
  scheme: PresentedToken['scheme'],
  client: string,
): OAuthError {
  const error_description =
    scheme === 'DPoP' ? 'the access token is not bound to a key' : 'the access token needs a DPoP proof';
  return new OAuthError('invalid_token', {
    error_description,
    challenge: dpopChallenge(
      { error: 'invalid_token', error_description },
      settings['signatures.algorithms'],
    ),
    reason: 'dpop-proof',
    client,
  });
}
