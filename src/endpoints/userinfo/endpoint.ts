import { requireKeysNow } from '../../clients/client-keys/remote-jwk-set.ts';
import { type ClientJwtNeeds, makeClientJwt, wantsUserinfoJwt } from '../../clients/issued-jwt/client-jwt.ts';
import type { Settings } from '../../config/settings.ts';
import { type Userinfo, type UserinfoNeeds, userinfoFor } from '../../grants/userinfo.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type FormLimits, parseForm } from '../../spec/parameters.ts';
import { protectedResourceUrl, userinfoResource } from '../../spec/protected-resource.ts';
import { type AccessTokenNeeds, findAccessToken, scopeOf } from '../../tokens/access-token.ts';
import { insufficientScope, invalidToken } from '../../tokens/bearer-token.ts';
import type { DpopNeeds } from '../../tokens/dpop-proof.ts';
import {
  accessTokenNeeded,
  type PresentedToken,
  presentedAccessToken,
  requireHolder,
} from '../../tokens/presented-token.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { contract, postContract } from './contract.ts';

export interface UserinfoEndpointNeeds extends UserinfoNeeds {
  readonly issuer: string;
  readonly accessTokens: AccessTokenNeeds;
  readonly clientJwts: ClientJwtNeeds;
  readonly form: FormLimits;
  readonly settings: Settings;
  readonly dpop: DpopNeeds;
}

/** Returns claims about the end-user of an access token to the bearer of the token (OpenID Connect Core 1.0 §5.3). */
export function userinfo(needs: UserinfoEndpointNeeds): Endpoint {
  return {
    contract,
    handle: async (request) =>
      await answerFor(
        needs,
        request,
        presentedAccessToken(request.headers['authorization'], needs.settings['limits.bearer-token']),
      ),
  };
}

/** Does the same for POST, where the token may stand in the form (RFC 6750 §2.2). */
export function postedUserinfo(needs: UserinfoEndpointNeeds): Endpoint {
  return {
    contract: postContract,
    handle: async (request) => await answerFor(needs, request, presentedToken(needs, request)),
  };
}

/** RFC 6750 §2: "Clients MUST NOT use more than one method to transmit the token in each request." */
function presentedToken(
  { form, settings: { 'limits.bearer-token': lengthMax } }: UserinfoEndpointNeeds,
  { headers, body }: EndpointRequest,
): PresentedToken | undefined {
  const inHeader = presentedAccessToken(headers['authorization'], lengthMax);
  const type = headers['content-type'];
  if (body.length === 0 || type === undefined) return inHeader;
  const inForm = parseForm(type, body, postContract.parameters.names, form)['access_token'];
  if (inForm === undefined) return inHeader;
  if (inHeader !== undefined) {
    throw new OAuthError('invalid_request', {
      error_description: 'the access token must not stand in both header and form',
    });
  }
  if (inForm.length > lengthMax)
    throw invalidToken({ reason: 'long-bearer-token', detail: 'access_token is too long' });
  return { token: inForm, scheme: 'Bearer' };
}

async function answerFor(
  needs: UserinfoEndpointNeeds,
  { method, headers, clientCertificate: certificate }: EndpointRequest,
  presented: PresentedToken | undefined,
): Promise<EndpointResponse> {
  if (presented === undefined)
    throw accessTokenNeeded(needs.settings, {
      resource_metadata: protectedResourceUrl(userinfoResource(needs.issuer)),
    });
  const token = await findAccessToken(needs.accessTokens, presented.token);
  if (token === undefined) throw invalidToken();
  const { client_id: client } = token;
  await requireHolder(needs.dpop, token, presented, {
    method,
    path: contract.path,
    proof: headers['dpop'],
    certificate,
  });
  if (!scopeOf(token).includes('openid')) throw insufficientScope(['openid'], client);
  const found = await userinfoFor(needs, token);
  if (found === undefined)
    throw invalidToken({
      reason: 'no-end-user',
      detail: 'the token has no end-user with an account in use',
      client,
    });
  return wantsUserinfoJwt(found.metadata)
    ? await asJwt(needs, found, token.client_id)
    : answered('application/json', JSON.stringify(found.claims));
}

/** §5.3.2: "If the UserInfo Response is signed and/or encrypted, then the Claims are returned in a JWT", with iss and aud. */
async function asJwt(
  { issuer, clientJwts }: UserinfoEndpointNeeds,
  { metadata, claims }: Userinfo,
  client_id: string,
): Promise<EndpointResponse> {
  const content = { ...claims, iss: issuer, aud: client_id };
  const made = await makeClientJwt(clientJwts, metadata, { kind: 'userinfo', typ: 'JWT', claims: content });
  if ('jwt' in made) return answered('application/jwt', made.jwt);
  requireKeysNow(made, 'keys of the client');
  throw new OAuthError('invalid_request', {
    error_description: 'the response cannot be signed or encrypted as the client registered',
    detail: made.problem,
  });
}

function answered(type: string, body: string): EndpointResponse {
  return { status: 200, headers: { 'content-type': type, ...UNCACHED }, body };
}
