import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Sites } from '../site.ts';
import type { Federation, Json } from '../world.ts';

const LIFETIME_S = 3600;

/** Opens a trust anchor that vouches for the relying parties of the modules, and the provider's settings for it. */
export async function openFederation(
  sites: Sites,
): Promise<{ federation: Federation; environment: Readonly<Record<string, string>> }> {
  const site = sites.open('trust-anchor');
  const anchor = site.fetchUrl;
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'anchor', use: 'sig', alg: 'ES256' }] };
  const statement = async (sub: string, claims: Json): Promise<string> =>
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'anchor', typ: 'entity-statement+jwt' })
      .setIssuer(anchor)
      .setSubject(sub)
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1000) + LIFETIME_S)
      .sign(privateKey);
  const metadata = {
    federation_entity: {
      federation_fetch_endpoint: `${anchor}/fetch`,
      federation_list_endpoint: `${anchor}/list`,
    },
  };
  const configuration = await statement(anchor, { jwks, metadata });
  const type = 'application/entity-statement+jwt';
  site.publish('/.well-known/openid-federation', type, configuration);
  return {
    federation: {
      anchor,
      configuration: async () => configuration,
      async vouch(entity, keys) {
        const vouched = await statement(entity, { jwks: keys });
        site.publish(`/fetch?sub=${encodeURIComponent(entity)}`, type, vouched);
        return vouched;
      },
    },
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([{ 'entity-id': anchor, jwks }]),
      CHANCERY_FEDERATION_AUTHORITY_HINTS: anchor,
    },
  };
}
