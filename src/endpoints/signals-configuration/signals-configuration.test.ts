import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { signalTenant } from '../../testing/signals.ts';
import { ISSUER } from '../../testing/tenant.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { signalsConfiguration } from './endpoint.ts';

// proves ssf-7.1-1, ssf-7.1-2, ssf-7.2-1, caep-interop-2.3-1
test('GET /.well-known/ssf-configuration: 200 with the endpoints that stand, below the issuer and before its path (OpenID Shared Signals Framework 1.0 §7.2)', async () => {
  const tenant = signalTenant();
  const { status, headers, json } = await tenant.send('signals-configuration');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'application/json');
  assert.deepEqual(json, {
    spec_version: '1_0',
    issuer: ISSUER,
    jwks_uri: `${ISSUER}/jwks.json`,
    configuration_endpoint: `${ISSUER}/ssf/streams`,
    status_endpoint: `${ISSUER}/ssf/status`,
    add_subject_endpoint: `${ISSUER}/ssf/subjects/add`,
    remove_subject_endpoint: `${ISSUER}/ssf/subjects/remove`,
    verification_endpoint: `${ISSUER}/ssf/verify`,
    delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: 'ALL',
  });
  const { endpointsOutsideIssuer = [] } = await tenant.site();
  assert.ok(
    endpointsOutsideIssuer.some((each) => each.contract.path === '/.well-known/ssf-configuration/c2'),
  );
});

test('GET /.well-known/ssf-configuration, a fault: 500 without body', async () => {
  const handle = (): never => {
    throw new Error('/var/lib/registry');
  };
  const faulty = { ...signalsConfiguration({ issuer: ISSUER, maxAge: 1 }, []), handle };
  const response = await answer(faulty, requestOf(contract, {}), () => undefined);
  assertBodiless(await received(contract, response), 500);
});
