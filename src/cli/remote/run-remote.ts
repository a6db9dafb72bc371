import type { Command, ParsedCall } from '../command.ts';
import { CommandFailure, calledWrongly } from '../failure.ts';
import { cellOf, isTexts, printItem } from '../print-item.ts';
import { table } from '../table.ts';
import { remoteRow } from './operations.ts';
import type { OperationRow, RemoteCall } from './row.ts';
import { openServer, type Server } from './server.ts';

type Item = Readonly<Record<string, unknown>>;

/** Executes a command by operations of the administration API. */
export async function runRemote(command: Command, url: string, call: ParsedCall): Promise<number> {
  const row = remoteRow(command.words);
  if (row === undefined || 'reason' in row)
    throw calledWrongly(`--server: ${row?.reason ?? 'this command has no operation'}`);
  if ('own' in row) return await command.run(call);
  if (row.only !== undefined) throw calledWrongly(`--server: ${row.only}`);
  const unknown = Object.keys(row.refuses ?? {}).find((name) => {
    const value = call.options[name];
    return value !== undefined && value !== false;
  });
  if (unknown !== undefined)
    throw calledWrongly(`--${unknown} does not go with --server: ${row.refuses?.[unknown]}`);
  const server = openServer(url, call);
  const given: RemoteCall = { ...call, server };
  const request = (await row.request?.(given)) ?? {};
  const operation = operationOf(row, call);
  if (row.lists === true) return (await printList(server, operation, request, { call, row })) ? 1 : 0;
  else {
    const { json } = await server.send(operation, request);
    printItem(json, call);
    const failure = row.failure?.(json);
    if (failure !== undefined) throw new CommandFailure(failure);
  }
  return 0;
}

function operationOf({ operation, withOperand }: OperationRow, { operands }: ParsedCall): string {
  return withOperand === undefined || operands[withOperand.operand] === undefined
    ? operation
    : withOperand.operation;
}

/** Resolves with whether an item makes the command fail. */
async function printList(
  server: Server,
  operation: string,
  request: Parameters<Server['pages']>[1],
  { call: { options, print, complain }, row }: { readonly call: ParsedCall; readonly row: OperationRow },
): Promise<boolean> {
  let fails = false;
  const most = typeof options['limit'] === 'number' ? options['limit'] : Number.POSITIVE_INFINITY;
  let shown = 0;
  let printer: { readonly names: readonly string[]; readonly rows: ReturnType<typeof table> } | undefined;
  for await (const page of server.pages(operation, request)) {
    const items = page.slice(0, most - shown);
    shown += items.length;
    fails ||= items.some((item) => row.fails?.(item) === true);
    if (options['json'] === true) for (const item of items) print(JSON.stringify(item));
    else if (row.lines !== undefined) for (const line of items.flatMap(row.lines)) print(line);
    else if (items.length > 0) {
      printer ??= columnsOf(items[0] ?? {}, print);
      const { names, rows } = printer;
      rows.print(items.map((item) => names.map((name) => cellOf(item[name]))));
    }
    if (shown < most) continue;
    if (page.length > items.length) complain(`shown: ${shown}; there are more`);
    break;
  }
  return fails;
}

/** Columns that fit a terminal: the members of an item that are no objects. */
const COLUMNS_MAX = 7;

function columnsOf(
  first: Item,
  print: (line: string) => void,
): { readonly names: readonly string[]; readonly rows: ReturnType<typeof table> } {
  const names = Object.entries(first)
    .filter(([, value]) => typeof value !== 'object' || value === null || isTexts(value))
    .map(([name]) => name)
    .slice(0, COLUMNS_MAX);
  return {
    names,
    rows: table(
      print,
      names.map((name) => name.toUpperCase().replaceAll('_', ' ')),
    ),
  };
}
