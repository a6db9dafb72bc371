import { useCompileCache } from './compile-cache.ts';
import { runtimeRefusal } from './runtime.ts';

// An older Node cannot load the rest, and the compile cache serves only what is loaded after it is chosen.
const refusal = runtimeRefusal(process.versions);
if (refusal === undefined) {
  useCompileCache(import.meta.filename, process.env);
  const { main } = await import('./main.ts');
  await main();
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
