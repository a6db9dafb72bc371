import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const tenant = testTenant();

/** Registers, and returns everything that the server answers. */
async function registered(lists: object): Promise<Readonly<Record<string, unknown>>> {
  const { status, json } = await tenant.send('client-registration', {
    bearer: MASTER,
    json: { ...WEB_CLIENT, ...lists },
  });
  assert.equal(status, 200);
  return json;
}

suite('a client names what it is able to do (OpenID Connect Relying Party Metadata Choices 1.0 §2)', () => {
  // proves rp-metadata-choices-2-1
  test('the server takes the first value that it has, and the answer says which', async () => {
    const lists = {
      token_endpoint_auth_methods_supported: ['tls_client_auth', 'client_secret_post', 'client_secret_basic'],
      id_token_signing_alg_values_supported: ['ES256K', 'PS256', 'RS256'],
      subject_types_supported: ['pairwise', 'public'],
    };
    const client = await registered(lists);
    assert.deepEqual(
      [client['token_endpoint_auth_method'], client['id_token_signed_response_alg'], client['subject_type']],
      ['client_secret_post', 'PS256', 'pairwise'],
    );
    for (const [list, values] of Object.entries(lists)) assert.deepEqual(client[list], values);
  });

  // proves rp-metadata-choices-2-2
  test('a member that the client gives itself is not chosen again', async () => {
    const client = await registered({
      token_endpoint_auth_method: 'client_secret_basic',
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    });
    assert.equal(client['token_endpoint_auth_method'], 'client_secret_basic');
  });

  test('an update with the answer of the registration keeps what was chosen (RFC 7592 §2.2)', async () => {
    const client = await registered({ token_endpoint_auth_methods_supported: ['client_secret_post'] });
    const {
      client_id,
      registration_access_token,
      registration_client_uri,
      client_secret_expires_at,
      ...rest
    } = client;
    assert.ok(registration_client_uri !== undefined && client_secret_expires_at !== undefined);
    const { status, json } = await tenant.send('client-update', {
      id: String(client_id),
      bearer: String(registration_access_token),
      json: { client_id, ...rest, client_id_issued_at: undefined },
    });
    assert.deepEqual([status, json['token_endpoint_auth_method']], [200, 'client_secret_post']);
  });

  test('a list for encryption, or for signatures of the client, is kept, and changes nothing else', async () => {
    const client = await registered({
      id_token_encryption_alg_values_supported: ['RSA-OAEP'],
      userinfo_signing_alg_values_supported: ['RS256'],
      request_object_signing_alg_values_supported: ['ES256'],
    });
    for (const member of [
      'id_token_encrypted_response_alg',
      'userinfo_signed_response_alg',
      'request_object_signing_alg',
    ])
      assert.equal(client[member], undefined, member);
  });

  for (const [list, values, allowed] of [
    ['token_endpoint_auth_methods_supported', ['attest_jwt_client_auth'], 'private_key_jwt'],
    ['id_token_signing_alg_values_supported', ['none', 'HS256'], 'RS256'],
    ['subject_types_supported', ['transient'], 'pairwise'],
  ] as const) {
    // proves rp-metadata-choices-2-3
    test(`${list} without a value of the server is refused with the values that it has`, async () => {
      const { status, json } = await tenant.send('client-registration', {
        bearer: MASTER,
        json: { ...WEB_CLIENT, [list]: values },
      });
      assert.deepEqual([status, json['error']], [400, 'invalid_client_metadata']);
      assert.match(String(json['error_description']), new RegExp(`^${list} .*${allowed}`, 'u'));
    });
  }
});
