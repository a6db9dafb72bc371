import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { developer } from '../../program/developer.ts';
import { freePort } from '../../program/free-port.ts';
import { type Program, startProgram } from '../../program/start.ts';
import { startRecipe } from '../recipe.ts';
import { visitor } from '../visitor.ts';
import { register } from '../website.ts';
import { skipReason } from './packages.ts';

const RECIPES = join(import.meta.dirname, '../recipes');

let program: Program;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-nginx-'));
  program = await startProgram({ mode: 'dev' });
});
after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('nginx with njs: signs a person in, asks the server about the token, and sees the logout', {
  skip: skipReason('nginx'),
}, async () => {
  const port = String(await freePort());
  const base = `http://127.0.0.1:${port}`;
  const client = await register(program, {
    client_name: 'nginx',
    redirect_uris: [`${base}/callback`],
    grant_types: ['authorization_code', 'client_credentials'],
    response_types: ['code'],
    scope: `openid ${program.issuer}/token/introspect`,
  });
  const values = [
    [' ISSUER', ` ${program.issuer}`],
    [' CLIENT_ID', ` ${client.client_id}`],
    [' CLIENT_SECRET', ` ${client.client_secret}`],
    [' BASE_URL', ` ${base}`],
    [':PORT', `:${port}`],
  ] as const;
  let text = readFileSync(join(RECIPES, 'nginx.conf'), 'utf8');
  for (const [word, value] of values) text = text.replace(`${word};`, `${value};`);
  writeFileSync(join(folder, 'nginx.conf'), text);
  copyFileSync(join(RECIPES, 'nginx.js'), join(folder, 'nginx.js'));
  const surroundings = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;`;
  const command = ['/usr/sbin/nginx', '-c', join(folder, 'nginx.conf'), '-g', surroundings] as const;
  const nginx = await startRecipe(command, base, {});
  try {
    const person = visitor(program.issuer, await developer(program));
    const page = await person.go(`${base}/`);
    assert.match(page.text, /Welcome to nginx/, readFileSync(join(folder, 'error.log'), 'utf8'));
    await person.go(`${program.issuer}/logout`);
    const answer = await person.look(`${base}/`);
    assert.ok(answer.headers.get('location')?.startsWith(`${program.issuer}/authorize?`), answer.text);
  } finally {
    await nginx.stop();
  }
});
