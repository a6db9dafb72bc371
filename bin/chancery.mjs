#!/usr/bin/env node
import { run } from './run.mjs';

run('src/cli/chancery.ts', process.argv.slice(2));
