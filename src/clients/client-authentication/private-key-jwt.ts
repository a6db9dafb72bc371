import { SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { refusalInWords, verifyWithClientKeys } from '../client-keys/client-keys.ts';
import { assertionProblem, assertionProfile, clientAssertion } from './client-assertion.ts';
import type { AuthenticationMethod } from './method.ts';

/** OpenID Connect Core §9: a JWT signed with a private key, whose public key the client has registered or publishes. */
export const privateKeyJwt: AuthenticationMethod = {
  name: 'private_key_jwt',
  place: clientAssertion,
  async prove({ assertions }, stored, { credential }) {
    const profile = assertionProfile(assertions, stored, SIGNING_ALGORITHMS);
    const verification = await verifyWithClientKeys(assertions.jwkSets, stored, (keys) =>
      assertions.verifier.verify(credential, keys, profile),
    );
    if (!verification.verified)
      return { proved: false, detail: `assertion: ${refusalInWords(verification)}` };
    const detail = await assertionProblem(assertions, stored, verification.claims);
    return detail === undefined ? { proved: true, secret: undefined } : { proved: false, detail };
  },
};
