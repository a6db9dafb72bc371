import { testNotFound } from '../test-client-refusals.ts';

testNotFound('delete');
