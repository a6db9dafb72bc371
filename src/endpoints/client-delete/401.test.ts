import { testUnauthorized } from '../test-client-refusals.ts';

testUnauthorized('delete');
