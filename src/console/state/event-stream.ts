/** An event of a stream (WHATWG HTML, Server-sent events). */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/**
 * Returns a function that takes the text of a stream in any pieces, and gives each event that is complete. `EventSource` of the
 * browser cannot send an access token, so the console reads the stream itself.
 */
export function eventReader(take: (event: StreamEvent) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const blocks = (rest + text.replaceAll('\r\n', '\n')).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== undefined) take(event);
    }
  };
}

/** Returns undefined for a heartbeat. A block with an identifier alone tells where to go on. */
function eventOf(block: string): StreamEvent | undefined {
  const fields = block.split('\n').flatMap((line) => {
    const found = /^(?<name>id|event|data):[ ]?(?<value>.*)$/u.exec(line)?.groups;
    return found === undefined ? [] : [found];
  });
  const last = (name: string): string | undefined =>
    fields.findLast((field) => field['name'] === name)?.['value'];
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value);
  const id = last('id');
  if (data.length === 0 && id === undefined) return undefined;
  return { id, event: last('event') ?? 'message', data: data.join('\n') };
}
