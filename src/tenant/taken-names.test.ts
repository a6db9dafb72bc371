import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TakenNames } from './taken-names.ts';

const PATHS = ['/clients', '/clients/{id}', '/token', '/token/introspect', '/direct-authz/rest/v2'];
const OP = 'https://op.example.com';

function tenantNameProblem(name: string, taken: readonly string[]): string | undefined {
  const names = new TakenNames(PATHS);
  taken.forEach((each) => names.add(each));
  return names.problem(name);
}

for (const [name, taken] of [
  [`${OP}/b`, OP],
  [`${OP}/b/clients2`, `${OP}/b`],
  [`${OP}/clientsx`, OP],
  [`${OP}/token/b`, OP],
  [`${OP}/b`, `${OP}/clients`],
  ['https://b.example.com/clients', OP],
  [`${OP}:8443/clients`, OP],
  [OP, `${OP}/b`],
] as const) {
  test(`${name} can be beside ${taken}`, () => {
    assert.equal(tenantNameProblem(name, [taken]), undefined);
  });
}

for (const [name, taken] of [
  [OP, OP],
  [`${OP}/clients`, OP],
  [`${OP}/clients/b`, OP],
  [`${OP}/token`, OP],
  [`${OP}/direct-authz`, OP],
  [`${OP}/direct-authz/rest`, OP],
  [`${OP}/b/clients`, `${OP}/b`],
  [OP, `${OP}/clients`],
] as const) {
  test(`${name} cannot be beside ${taken}`, () => {
    assert.match(tenantNameProblem(name, [taken]) ?? '', new RegExp(`^${name} (is|would)`));
  });
}
