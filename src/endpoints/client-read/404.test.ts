import { testNotFound } from '../test-client-refusals.ts';

testNotFound('read');
