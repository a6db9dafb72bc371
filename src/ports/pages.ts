/** The client that a page speaks of, in its own words: shown as text, never as a link's address or a remote image. */
export interface PageClient {
  readonly name: string;
  /** Host of where the person is sent back to; what a look-alike cannot choose. */
  readonly host: string | undefined;
  /** Whether the operator answers for this client; false for one that anybody could have registered. */
  readonly vouched: boolean;
  /** Pages of the client that a person may want to read before agreeing; http or https. */
  readonly policy_uri?: string;
  readonly tos_uri?: string;
}

/** Where a page's form is posted to, and what proves that this page made the post. */
export interface PageForm {
  /** A path of this server. */
  readonly action: string;
  readonly form_token: string;
}

export interface SignInPage {
  readonly kind: 'sign-in';
  readonly client: PageClient | undefined;
  readonly form: PageForm;
  /** What the field for the name holds already (OpenID Connect Core 1.0 §3.1.2.1, `login_hint`). */
  readonly username: string;
  readonly problem: 'refused' | { readonly wait_seconds: number } | undefined;
}

export interface ConsentPage {
  readonly kind: 'consent';
  readonly client: PageClient;
  readonly form: PageForm;
  /** Whom the person is signed in as. */
  readonly username: string;
  readonly scope: readonly string[];
  readonly claims: readonly string[];
  /** Resource servers that the tokens are for (RFC 8707). */
  readonly resources: readonly string[];
}

export interface LogoutPage {
  readonly kind: 'logout';
  readonly client: PageClient | undefined;
  readonly form: PageForm;
  /** Undefined where nobody is signed in. */
  readonly username: string | undefined;
  readonly notice: PageNotice | undefined;
}

export interface SignedOutPage {
  readonly kind: 'signed-out';
  /** What became of the session: `kept` when the person chose to stay. */
  readonly outcome: 'ended' | 'kept' | 'none';
  readonly notice: PageNotice | undefined;
}

export interface ErrorPage {
  readonly kind: 'error';
  /** An error code of a specification. */
  readonly error: string;
  /** After how long it is worth while to try again. */
  readonly wait_seconds?: number | undefined;
  readonly notice: PageNotice;
}

/** Finds the cause in the log; `detail` says it at once and is there in development only. */
export interface PageNotice {
  readonly error_id: string;
  readonly detail: string | undefined;
}

/** OAuth 2.0 Form Post Response Mode §2: parameters that the browser carries to the client. */
export interface FormPostPage {
  readonly kind: 'form-post';
  /** The validated redirection URI. */
  readonly action: string;
  readonly client: PageClient;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Asks before an error leads to a client that nobody vouches for (RFC 9700 §4.11.2). */
export interface LeavePage {
  readonly kind: 'leave';
  readonly client: PageClient;
  readonly error: string;
  /** Where the person goes who wants to, with the answer in it; undefined where it is posted. */
  readonly location: string | undefined;
  /** What is posted instead, and where. */
  readonly post: Pick<FormPostPage, 'action' | 'parameters'> | undefined;
}

export type Page =
  | SignInPage
  | ConsentPage
  | LogoutPage
  | SignedOutPage
  | ErrorPage
  | FormPostPage
  | LeavePage;

export interface PageAsset {
  readonly body: string;
  readonly mediaType: string;
}

/** What people see: whole HTML documents, in the first of the given languages that there are texts for. */
export interface Pages {
  /** @param languages tags in order of preference (RFC 5646), from `preferredLanguages` */
  render(page: Page, languages: readonly string[]): string;
  /** The languages there are texts for (`ui_locales_supported`). */
  readonly languages: readonly string[];
  /** What the documents refer to, by the last segment of its address, which changes with its content. */
  asset(name: string): PageAsset | undefined;
}

/** A theme that cannot be used; the message names the file. */
export class ThemeInvalid extends Error {
  override readonly name = 'ThemeInvalid';
}
