import assert from 'node:assert/strict';
import { type Fields, VERIFIER } from '../../test/program/code-request.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';
import { answeredTo, type TestPerson } from './person.ts';
import { CALLBACK, type ClientInformation, type TestTenant } from './tenant.ts';

/** The tokens that a person's code gives to a client. */
export async function tokensFor(
  tenant: TestTenant,
  person: Pick<TestPerson, 'grant'>,
  client: ClientInformation,
  asked: Fields = {},
  certificate?: ClientCertificate,
): Promise<Readonly<Record<string, unknown>>> {
  const code = answeredTo(await person.grant(client, asked))['code'] ?? assert.fail('no code');
  const answered = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER },
    ...(certificate === undefined ? {} : { certificate }),
  });
  assert.equal(answered.status, 200, answered.body);
  return answered.json;
}
