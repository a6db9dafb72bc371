import { run } from './run.mjs';

const [file, ...parameters] = process.argv.slice(2);
await run(file, parameters, { tools: true });
