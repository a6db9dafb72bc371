import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CIBA_GRANT, TILL } from '../../src/testing/backchannel.ts';
import { startProgram } from '../program/start.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { FORM_TYPE } from './introspection-requests.ts';
import { type RegisteredClient, register } from './registry.ts';
import { browserAt } from './sign-in-world.ts';
