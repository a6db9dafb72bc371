import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Directory } from '../world.ts';

const ISSUER = 'https://directory.example';

/** Opens a directory that signs software statements, and the provider's setting for it. */
export async function openDirectory(): Promise<{
  directory: Directory;
  environment: Readonly<Record<string, string>>;
}> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'directory', use: 'sig', alg: 'ES256' }] };
  return {
    directory: {
      statement: async (claims) =>
        await new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: 'directory', typ: 'JWT' })
          .setIssuer(ISSUER)
          .setIssuedAt()
          .sign(privateKey),
    },
    environment: {
      CHANCERY_REGISTRATION_SOFTWARE_STATEMENT_ISSUERS: JSON.stringify([{ issuer: ISSUER, jwks }]),
    },
  };
}
