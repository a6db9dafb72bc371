import { testInsufficientScope } from '../../testing/client-refusals.ts';

testInsufficientScope('delete');
