import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type RequestHeaders, readHeaders } from './raw-headers.ts';
import { type BodyLimits, type BodyReader, type DropListener, RequestBody } from './request-body.ts';

/** A request as the listener gets it. */
export interface Request extends IncomingMessage {
  /** The headers by lower-case name; or a sentence with the reason to refuse the request. */
  readonly fields: RequestHeaders | string;
  /** Reads the body, up to the limit. Call it once. */
  readBody(reader: BodyReader): void;
  /** Discards the rest of the body, and what was kept of it. */
  dropBody(listener?: DropListener): void;
  /** Gives back the memory of a body whose request is answered. */
  releaseBody(): void;
}

export interface Response extends ServerResponse<Request> {
  /**
   * Writes status line, header lines and body in one piece and returns true. Returns false, with nothing written, if this
   * answer must go through `writeHead`.
   * @param head complete and well-formed; says that the connection stays open
   */
  sendReady(status: number, head: string, body: string, encoding: 'latin1' | 'utf8'): boolean;
}

/** The classes that `http.createServer` makes requests and responses of. */
export interface Messages {
  readonly requestsUpTo: (limits: BodyLimits) => typeof IncomingMessage;
  readonly response: typeof ServerResponse<IncomingMessage>;
}

/** Requests and responses that use nothing but Node's documented interface: the fallback of `node-internals.ts`. */
export const DOCUMENTED_MESSAGES: Messages = {
  requestsUpTo: (limits) =>
    class extends DocumentedRequest {
      constructor(socket: Socket) {
        super(socket, limits);
      }
    },
  get response() {
    return DocumentedResponse;
  },
};

class DocumentedRequest extends IncomingMessage implements Request {
  readonly #body: RequestBody;
  #fields: RequestHeaders | string | undefined;

  constructor(socket: Socket, limits: BodyLimits) {
    super(socket);
    this.#body = new RequestBody(limits);
    // From the start: a stream without a listener would keep each piece as a buffer of its own.
    this.on('data', (piece: Buffer) => this.#body.add(piece, this.fields));
    this.on('end', () => this.#body.end());
    // It comes with the end of the body, or with that of the connection.
    this.on('close', () => {
      if (!this.#body.ended) this.#body.forget();
    });
  }

  get fields(): RequestHeaders | string {
    this.#fields ??= readHeaders(this.rawHeaders, this.httpVersion);
    return this.#fields;
  }

  readBody(reader: BodyReader): void {
    this.#body.read(reader);
  }

  dropBody(listener: DropListener = () => undefined): void {
    this.#body.drop(listener);
  }

  releaseBody(): void {
    this.#body.forget();
  }
}

class DocumentedResponse extends ServerResponse<Request> implements Response {
  sendReady(): boolean {
    return false;
  }
}
