import { testUnauthorized } from '../../testing/client-refusals.ts';

testUnauthorized('delete');
