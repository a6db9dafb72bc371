import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { command } from '../../journeys/command.ts';
import { credentialsOf, type Enterprise, NOTES, startEnterprise } from '../../journeys/enterprise.ts';
import { installClients } from '../installed.ts';

const CLIENT = join(import.meta.dirname, 'cross-app-access.mjs');

/** The client of the MCP project, in the flow that it calls cross-app access: enterprise-managed authorisation. */
suite('@modelcontextprotocol/client, cross-app access', () => {
  let enterprise: Enterprise;

  before(async () => {
    await installClients('test/clients/mcp');
    enterprise = await startEnterprise();
  });
  after(async () => await enterprise.stop());

  test('the ID token of one server becomes a token for the MCP server of another one, without a page, and once (draft-ietf-oauth-identity-assertion-authz-grant-01 §4)', async () => {
    const { idp, chat, wiki, connector, signIn } = enterprise;
    const { id_token } = await signIn();
    const [own, there] = [credentialsOf(wiki), credentialsOf(connector)];
    const grant = {
      idpUrl: idp.issuer,
      audience: chat.issuer,
      resource: NOTES,
      idToken: id_token,
      clientId: own.client_id,
      clientSecret: own.client_secret,
    };
    const exchange = {
      tokenEndpoint: connector.serverMetadata().token_endpoint,
      clientId: there.client_id,
      clientSecret: there.client_secret,
    };
    const environment = { REQUEST: JSON.stringify({ grant, exchange }) };
    const { stdout, stderr } = await command(process.execPath, [CLIENT], environment);
    const lines = stdout.trim().split('\n');
    assert.equal(lines.length, 3, stderr);
    const [asked, token, again] = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    assert.equal(asked?.['scope'], 'notes:read');
    assert.deepEqual([token?.['token_type'], token?.['scope']], ['Bearer', 'notes:read']);
    assert.match(String(again?.['message']), /invalid_grant.*was used before/u);
  });
});
