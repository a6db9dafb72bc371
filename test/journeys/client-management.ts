import assert from 'node:assert/strict';

/** RFC 7592 §3, as far as the journeys read it. */
export interface Registration {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly client_name?: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
}

interface ManagementAnswer {
  readonly status: number;
  readonly challenge: string | null;
  readonly body: Partial<Registration>;
}

/** RFC 7592 §2, for which neither library has a call. */
async function manage(
  registration: Registration,
  method: 'GET' | 'PUT' | 'DELETE',
  metadata?: object,
): Promise<ManagementAnswer> {
  const answer = await fetch(registration.registration_client_uri, {
    method,
    headers: {
      authorization: `Bearer ${registration.registration_access_token}`,
      ...(metadata === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(metadata === undefined ? {} : { body: JSON.stringify(metadata) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    challenge: answer.headers.get('www-authenticate'),
    body: text === '' ? {} : (JSON.parse(text) as Partial<Registration>),
  };
}

export function isRegistration(value: object): asserts value is Registration {
  for (const member of ['client_id', 'registration_access_token', 'registration_client_uri']) {
    assert.equal(typeof Reflect.get(value, member), 'string', `${member} is missing`);
  }
}

/** Reads, updates and deletes the registration, each step as RFC 7592 §2.1 to §2.3 has it. */
export async function readUpdateDelete(registration: Registration, metadata: object): Promise<void> {
  const read = await manage(registration, 'GET');
  assert.equal(read.status, 200);
  assert.equal(read.body.client_id, registration.client_id);
  assert.equal(read.body.client_secret, registration.client_secret);
  assert.equal(read.body.registration_access_token, registration.registration_access_token);

  const updated = await manage(registration, 'PUT', { ...metadata, client_name: 'Renamed' });
  assert.equal(updated.status, 200);
  assert.equal(updated.body.client_name, 'Renamed');
  assert.notEqual(updated.body.registration_access_token, registration.registration_access_token);
  if (registration.client_secret === undefined) assert.equal(updated.body.client_secret, undefined);
  else assert.notEqual(updated.body.client_secret, registration.client_secret);
  isRegistration(updated.body);
  assert.equal((await manage(registration, 'GET')).status, 401, 'the replaced registration token is dead');

  const renamed = updated.body;
  assert.equal((await manage(renamed, 'GET')).body.client_name, 'Renamed');
  assert.deepEqual(await manage(renamed, 'DELETE'), { status: 204, challenge: null, body: {} });
  const gone = await manage(renamed, 'GET');
  assert.equal(gone.status, 401, 'the registration of a deleted client');
  assert.match(gone.challenge ?? '', /^Bearer error="invalid_token"/);
}
