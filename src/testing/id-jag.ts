import { TOKEN_EXCHANGE_GRANT } from '../spec/grant-types.ts';
import { ID_JAG_TYP, ID_JAG_TYPE, ID_TOKEN_TYPE_URI } from '../spec/token-types.ts';
import { grantClaims, IDP_KEY } from './assertion-grant.ts';
import type { Answer } from './exchange.ts';
import { signedJwt } from './jwt.ts';
import { RELYING_PARTY } from './person.ts';
import type { ClientInformation, TestTenant } from './tenant.ts';
import { exchange } from './token-exchange.ts';

/** The authorisation server of another application, and its API. */
export const CHAT = 'https://chat.example';
export const CHAT_API = 'https://chat.example/mcp';

/** An application of an enterprise, where people sign in, and which may act for them at the other one. */
export const WIKI = {
  ...RELYING_PARTY,
  grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE_GRANT],
  scope: 'openid',
  chancery_token_exchange: {
    id_jag: [
      { audience: CHAT, client_id: 'wiki-at-chat', resources: [CHAT_API], scope: 'chat.read chat.write' },
    ],
  },
};

/** Asks for an identity assertion grant, as the application that got the ID token. */
export async function askForIdJag(
  tenant: TestTenant,
  client: ClientInformation,
  idToken: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return await exchange(tenant, client, idToken, {
    subject_token_type: ID_TOKEN_TYPE_URI,
    requested_token_type: ID_JAG_TYPE,
    audience: CHAT,
    ...form,
  });
}

/** An identity assertion grant of the identity provider for a client of this server. */
export function idJag(client_id: string, changes: object = {}, header: object = {}): string {
  return signedJwt(IDP_KEY, grantClaims({ client_id, ...changes }), { typ: ID_JAG_TYP, ...header });
}
