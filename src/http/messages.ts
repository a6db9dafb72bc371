import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type RequestHeaders, readHeaders } from './raw-headers.ts';
import { type BodyLimits, type BodyReader, type DropListener, RequestBody } from './request-body.ts';

/** A request as the edge reads it. */
export interface Request {
  readonly socket: Socket;
  readonly method?: string | undefined;
  /** The request target as it was sent. */
  readonly url?: string | undefined;
  readonly httpVersion: string;
  /** The headers by lower-case name; or a sentence with the reason to refuse the request. */
  readonly fields: RequestHeaders | string;
  /** Reads the body, up to the limit. Call it once. */
  readBody(reader: BodyReader): void;
  /** Discards the rest of the body, and what was kept of it. */
  dropBody(listener?: DropListener): void;
  /** Gives back the memory of a body whose request is answered. */
  releaseBody(): void;
}

/** The answer to a request. */
export interface Response {
  readonly headersSent: boolean;
  /** Whether the request has arrived in full, and its answer has been written. */
  readonly isOver: boolean;
  /**
   * Writes status line, header lines and body in one piece and returns true. Returns false, with nothing written, if this
   * answer must go through `whole`.
   * @param head complete and well-formed; says that the connection stays open
   */
  sendReady(status: number, head: string, body: string, encoding: 'latin1' | 'utf8'): boolean;
  /** Returns the response as Node writes it; undefined if `sendReady` has written the answer without it. */
  whole(): WholeResponse | undefined;
}

/** A request with everything that Node's own has. */
export type WholeRequest = IncomingMessage & Request;

/** A response with everything that Node's own has. */
export interface WholeResponse extends ServerResponse<WholeRequest>, Response {}

/** Is called with each request, as soon as its head has arrived. */
export type Received = (request: Request, response: Response) => void;

/** How the requests of a server become requests and responses of the edge. */
export interface Messages {
  /** Returns the class that Node's parser makes a request of. */
  readonly requestsUpTo: (limits: BodyLimits) => typeof IncomingMessage;
  readonly response: typeof ServerResponse<IncomingMessage>;
  /** Hands each request of a server to `received`. Call it before the server listens. */
  readonly receive: (server: Server, received: Received) => void;
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
  receive: onEachRequest,
};

/** Listens to all events by which Node hands over a request. */
export function onEachRequest(
  server: Server,
  received: (request: WholeRequest, response: WholeResponse) => void,
): void {
  server.on('request', received);
  // Node does not hand these requests to the request listener.
  server.on('checkContinue', received);
  server.on('checkExpectation', received);
}

class DocumentedRequest extends IncomingMessage implements WholeRequest {
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

class DocumentedResponse extends ServerResponse<WholeRequest> implements WholeResponse {
  get isOver(): boolean {
    return this.writableFinished && this.req.complete;
  }

  sendReady(): boolean {
    return false;
  }

  whole(): this {
    return this;
  }
}
