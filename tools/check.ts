// npm run check: everything that is known without running the program. With --fix, formats the sources first.
import { parseArgs } from 'node:util';
import { format, runChecks, STATIC_CHECKS, TESTED_CHECKS } from './checks.ts';

const { values } = parseArgs({ options: { fix: { type: 'boolean', default: false } } });
const formatted = values.fix ? await format() : true;
const { failed } = await runChecks([...STATIC_CHECKS, ...TESTED_CHECKS]);
if (!formatted || failed > 0) process.exitCode = 1;
