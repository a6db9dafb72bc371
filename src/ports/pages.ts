import type { RecentRefusal } from './development.ts';

/** An image at a path of this server. */
export interface PageLogo {
  readonly src: string;
  /** CSS pixels; absent while the size is not known. */
  readonly width?: number;
  readonly height?: number;
}

/** The client that a page shows, in the client's own words: text, links to read, and a picture that this server serves. */
export interface PageClient {
  readonly name: string;
  /** The host that the browser returns to, which an impostor cannot choose. */
  readonly host: string | undefined;
  /** The host of the client's metadata document, which proves who made it; absent for a client that was registered. */
  readonly id_host?: string;
  /** Present if any program on the end-user's machine can pretend to be this client (RFC 8252 §8.6). */
  readonly impersonable?: true;
  /** The organisation behind a client that the operator, or a federation, vouches for; absent if the client has its name. */
  readonly organization?: string;
  /** Whether the operator vouches for this client; false for a client that anyone could have registered. */
  readonly vouched: boolean;
  readonly logo?: PageLogo;
  /** Pages of the client to read before signing in or consenting; http or https. */
  readonly policy_uri?: string;
  readonly tos_uri?: string;
}

/** The target of a page's form, and the token that proves that this page posted it. */
export interface PageForm {
  /** A path of this server. */
  readonly action: string;
  readonly form_token: string;
}

export interface SignInPage {
  readonly kind: 'sign-in';
  readonly client: PageClient | undefined;
  readonly form: PageForm;
  /** The initial value of the user name field (`login_hint`, OpenID Connect Core 1.0 §3.1.2.1). */
  readonly username: string;
  readonly problem: 'refused' | { readonly wait_seconds: number } | undefined;
}

/** An object of `authorization_details` (RFC 9396) in the words of its type, or else with all of its members. */
export type PageDetail =
  | {
      /** Words of the operator, and values that the client chose. */
      readonly parts: readonly ({ readonly text: string } | { readonly value: string })[];
    }
  | {
      readonly type: string;
      readonly members: readonly { readonly name: string; readonly value: string }[];
    };

export interface ConsentPage {
  readonly kind: 'consent';
  readonly client: PageClient;
  readonly form: PageForm;
  /** The user name of the signed-in end-user. */
  readonly username: string;
  readonly scope: readonly string[];
  readonly claims: readonly string[];
  /** Resource servers that the tokens are for (RFC 8707). */
  readonly resources: readonly string[];
  /** The details of the request; absent if it has none. */
  readonly details?: readonly PageDetail[];
  /** The device that asks; absent if an application asks in this browser. */
  readonly device?: { readonly user_code: string; readonly address: string };
  /** The client asks without a browser; absent if an application asks in this one. */
  readonly backchannel?: { readonly binding_message: string | undefined; readonly address: string };
}

/** The page where a person enters the code of a device (RFC 8628 §3.3). */
export interface DevicePage {
  readonly kind: 'device';
  readonly form: PageForm;
  /** The initial value of the field. */
  readonly user_code: string;
  readonly problem: 'unknown' | { readonly wait_seconds: number } | undefined;
}

/** The page after the person has decided about a device. `over`: its code was used or has expired meanwhile. */
export interface DeviceDonePage {
  readonly kind: 'device-done';
  readonly outcome: 'allowed' | 'denied' | 'over';
}

/** The page after the person has decided about a client without a browser. */
export interface BackchannelDonePage {
  readonly kind: 'backchannel-done';
  /** `over`: the request was answered or has expired meanwhile. `unanswered`: it still waits. */
  readonly outcome: 'allowed' | 'denied' | 'over' | 'unanswered';
  /** The path of the page with the requests. */
  readonly requests: string;
}

/** A request of a client without a browser (OpenID Connect CIBA Core 1.0). */
export interface PageRequest {
  readonly client: PageClient;
  readonly id: string;
  /** Proves that its buttons were on the page of this end-user. */
  readonly form_token: string;
  readonly binding_message: string | undefined;
  /** The network address that the client asked from. */
  readonly address: string;
  readonly scope: readonly string[];
  /** Date and time, `YYYY-MM-DD HH:MM UTC`. */
  readonly since: string;
  readonly until: string;
}

/** A client that the end-user has blocked. */
export interface PageBlock {
  readonly client: PageClient;
  readonly client_id: string;
  readonly form_token: string;
  /** A date, `YYYY-MM-DD`. */
  readonly until: string;
}

/** The requests of clients without a browser that wait for a signed-in end-user. */
export interface RequestsPage {
  readonly kind: 'requests';
  readonly username: string;
  /** The target of its forms, a path of this server. */
  readonly action: string;
  readonly requests: readonly PageRequest[];
  readonly blocks: readonly PageBlock[];
}

/** An application on the page of an end-user. */
export interface PageApplication {
  readonly client: PageClient;
  readonly client_id: string;
  /** Proves that its button was on the page of this end-user. */
  readonly form_token: string;
  readonly scope: readonly string[];
  /** The details of its grants, the latest first; absent if they have none. */
  readonly details?: readonly PageDetail[];
  /** Whether its grants have further details. */
  readonly has_more?: boolean;
  /** A date, `YYYY-MM-DD`. */
  readonly since: string;
}

/** The applications that have access to the account of a signed-in end-user. */
export interface ApplicationsPage {
  readonly kind: 'applications';
  readonly username: string;
  /** The target of its forms, a path of this server. */
  readonly action: string;
  readonly applications: readonly PageApplication[];
}

export interface LogoutPage {
  readonly kind: 'logout';
  readonly client: PageClient | undefined;
  readonly form: PageForm;
  /** The user name of the signed-in end-user; undefined without a session. */
  readonly username: string | undefined;
  readonly notice: PageNotice | undefined;
}

export interface SignedOutPage {
  readonly kind: 'signed-out';
  /** The outcome for the session: `kept` if the end-user chose to stay signed in. */
  readonly outcome: 'ended' | 'kept' | 'none';
  readonly notice: PageNotice | undefined;
}

/**
 * The page after a logout whose frames make clients end their sessions (OpenID Connect Front-Channel Logout 1.0 §3). With a
 * location it goes on when all frames have loaded.
 */
export interface FrontChannelLogoutPage {
  readonly kind: 'front-channel-logout';
  /** Addresses below registered URIs, with `iss` and `sid`. */
  readonly frames: readonly string[];
  /** The registered URI that the browser returns to, with its state; undefined if it stays. */
  readonly location: string | undefined;
  /** The time after which the page goes on although a frame has not loaded. */
  readonly wait_seconds: number;
  readonly notice: PageNotice | undefined;
}

export interface ErrorPage {
  readonly kind: 'error';
  /** An error code of a specification. */
  readonly error: string;
  /** Seconds to wait before trying again. */
  readonly wait_seconds?: number | undefined;
  readonly notice: PageNotice;
}

/** An identifier that finds the cause in the log. `detail` is the cause itself, in development only. */
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

/** Asks the end-user before a response leads to a client without the operator's trust (RFC 9700 §4.11.2, RFC 8252 §8.6). */
export interface LeavePage {
  readonly kind: 'leave';
  readonly client: PageClient;
  /** Undefined if the response grants the request. */
  readonly error: string | undefined;
  /** The address of the response if the end-user continues; undefined if the response is posted. */
  readonly location: string | undefined;
  /** The form and its target, if the response is posted. */
  readonly post: Pick<FormPostPage, 'action' | 'parameters'> | undefined;
}

/** The page at the address of the issuer. */
export interface StartPage {
  readonly kind: 'start';
}

/** The page at the address of an issuer in development. It is in English, for the person who runs the server. */
export interface DevelopmentPage {
  readonly kind: 'development';
  readonly issuer: string;
  readonly version: string;
  readonly data: string;
  readonly management: string;
  readonly account: string;
  /** An initial access token that was made for this page. */
  readonly token: string | undefined;
  /** The target of the button that makes one. */
  readonly action: string;
  /** Whether registration needs no token. */
  readonly open: boolean;
  readonly federation: boolean;
  /** The time of each is a text. */
  readonly refusals: readonly (Omit<RecentRefusal, 'at'> & { readonly at: string })[];
}

export type Page =
  | StartPage
  | DevelopmentPage
  | SignInPage
  | ConsentPage
  | DevicePage
  | DeviceDonePage
  | BackchannelDonePage
  | RequestsPage
  | ApplicationsPage
  | LogoutPage
  | SignedOutPage
  | FrontChannelLogoutPage
  | ErrorPage
  | FormPostPage
  | LeavePage;

export interface PageAsset {
  readonly body: string;
  readonly mediaType: string;
}

/** Renders whole HTML documents, in the first of the given languages that has messages. */
export interface Pages {
  /** @param languages tags in order of preference (RFC 5646), from `preferredLanguages` */
  render(page: Page, languages: readonly string[]): string;
  /** The languages with messages (`ui_locales_supported`). */
  readonly languages: readonly string[];
  /** Returns an asset of the pages by the last segment of its address, which changes with its content. */
  asset(name: string): PageAsset | undefined;
}

/** A theme that cannot be used; the message names the file. */
export class ThemeInvalid extends Error {
  override readonly name = 'ThemeInvalid';
}
