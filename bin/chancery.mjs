#!/usr/bin/env node
import { run } from './run.mjs';

await run('src/cli/chancery.ts', process.argv.slice(2), { tools: false });
