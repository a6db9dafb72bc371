import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { listeningPort } from '../../../src/testing/listening-port.ts';
import { freePort } from '../../program/free-port.ts';
import { certificateAuthority } from '../../tls/certificate.ts';
import { type NotesWorld, startNotesWorld } from './notes-server.ts';
import { keptBy, runSdkClient, type SdkClient } from './sdk.ts';

/** Client ID Metadata Documents (draft 02), the first choice of the MCP authorisation specification of 28 July 2026. */
for (const sdk of ['1', '2'] as const) {
  suite(`MCP SDK ${sdk}, as the client of its metadata document, with profile: mcp`, () => {
    let world: NotesWorld;
    let host: Server;
    let document: string;
    let url: string;
    let port: number;
    let trusted: string;

    before(async () => {
      const authority = certificateAuthority('Authority of documents');
      const identity = authority.issue({ names: ['localhost'] });
      trusted = mkdtempSync(join(tmpdir(), 'chancery-documents-'));
      const ca = join(trusted, 'ca.pem');
      writeFileSync(ca, authority.certificate);
      host = createServer(identity, (_request, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(document);
      });
      url = `https://localhost:${await listeningPort(host.listen(0, '127.0.0.1'))}/client.json`;
      port = await freePort();
      document = JSON.stringify({
        client_id: url,
        client_name: 'Notes on the desk',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        scope: 'notes:read notes:write',
      });
      world = await startNotesWorld({
        NODE_EXTRA_CA_CERTS: ca,
        // The document is on this machine.
        CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
        CHANCERY_OUTBOUND_PORTS: 'any',
        CHANCERY_CLIENT_DOCUMENT_ALLOWED_HOSTS: 'localhost',
      });
    });
    after(async () => {
      await world.stop();
      host.close();
      rmSync(trusted, { recursive: true });
    });

    const client = (name: string, metadataUrl = url): SdkClient => ({
      sdk,
      url: world.url,
      store: join(world.files, `${name}.json`),
      person: world.person,
      metadataUrl,
      port,
    });

    test('it signs a person in without a registration, calls tools, and refreshes its token', async () => {
      const known = client('document');
      const { lines } = await runSdkClient(
        known,
        'tools',
        'call add_note ink',
        'lose-access-token',
        'call list_notes',
      );
      const [{ authorise = '' } = {}, ...acts] = lines;
      assert.equal(new URL(authorise).searchParams.get('client_id'), url);
      assert.deepEqual(acts, [
        { tools: ['list_notes', 'add_note'] },
        { called: 'add_note', text: 'ink' },
        { called: 'list_notes', text: 'ink' },
      ]);
      assert.equal(keptBy(known).client?.client_id, url);
    });

    test('a document on a host that is not allowed leads to a page for the person, not back to the client', async () => {
      const other = client('other-host', 'https://client.example/client.json');
      await assert.rejects(runSdkClient(other, 'tools'), /the client ended with null[\s\S]*client\.example/u);
    });
  });
}
