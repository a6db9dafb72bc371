import { HMAC_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { isLive, openSecret } from '../secrets/client-secrets.ts';
import { assertionProblem, assertionProfile, clientAssertion } from './client-assertion.ts';
import type { AuthenticationMethod } from './method.ts';

/** OpenID Connect Core §9: "The HMAC … is calculated using the octets of the UTF-8 representation of the client_secret." */
export const clientSecretJwt: AuthenticationMethod = {
  name: 'client_secret_jwt',
  place: clientAssertion,
  async prove({ assertions, clock }, stored, { credential }) {
    const { sealer, verifier } = assertions;
    const secrets = stored.secrets.filter((secret) => isLive(secret, clock.now()));
    const keys = secrets.map((secret) => Buffer.from(openSecret(sealer, stored, secret)));
    const verification = verifier.verifyMac(
      credential,
      keys,
      assertionProfile(assertions, stored, HMAC_ALGORITHMS),
    );
    if (!verification.verified) return { proved: false, detail: `assertion: ${verification.reason}` };
    const detail = await assertionProblem(assertions, stored, verification.claims);
    return detail === undefined
      ? { proved: true, secret: secrets[verification.secretIndex] }
      : { proved: false, detail };
  },
};
