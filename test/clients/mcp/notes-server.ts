import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StartedExample, startAsReadmeSays } from '../../examples/readme.ts';
import { developer } from '../../program/developer.ts';
import { type Program, startProgram } from '../../program/start.ts';
import { installClients } from '../installed.ts';
import { type Visitor, visitor } from '../visitor.ts';

/** A development server with `profile: mcp`, `examples/mcp-server` beside it, and a person. */
export interface NotesWorld {
  readonly program: Program;
  readonly server: StartedExample;
  /** The address of the MCP server, which is its `resource`. */
  readonly url: string;
  readonly person: Visitor;
  /** The same person in another browser, who allows nothing. */
  readonly refusing: Visitor;
  /** A folder for what clients keep. */
  readonly files: string;
  stop(): Promise<void>;
}

/** Installs what is missing, and starts both servers as README says. */
export async function startNotesWorld(
  environment: Readonly<Record<string, string>> = {},
): Promise<NotesWorld> {
  await installClients('examples');
  await installClients('test/clients/mcp');
  const program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_PROFILE: 'mcp',
      CHANCERY_REGISTRATION_OPEN_SCOPE_VALUES: 'notes:read,notes:write',
      ...environment,
    },
  });
  const server = await startAsReadmeSays(program, 'mcp-server');
  const account = await developer(program);
  const files = mkdtempSync(join(tmpdir(), 'chancery-mcp-'));
  return {
    program,
    server,
    url: `${server.origin}/mcp`,
    person: visitor(program.issuer, account),
    refusing: visitor(program.issuer, account, 'deny'),
    files,
    async stop() {
      await program.stop();
      await server.stop();
      rmSync(files, { recursive: true });
    },
  };
}
