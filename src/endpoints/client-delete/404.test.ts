import { testNotFound } from '../../testing/client-refusals.ts';

testNotFound('delete');
