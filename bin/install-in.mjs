// install-in.mjs FOLDER: installs what the folder's own package-lock.json names, once. For test/clients and examples.
import { resolve } from 'node:path';
import { install } from './install.mjs';

const [folder = ''] = process.argv.slice(2);
const failure = await install(resolve(folder), { tools: true });
if (failure !== undefined) {
  process.stderr.write(`chancery: ${folder}: ${failure}\n`);
  process.exitCode = 1;
}
