import { testInsufficientScope } from '../test-client-refusals.ts';

testInsufficientScope('read');
