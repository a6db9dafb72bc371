import { formPost, jarm, responseTypes, rfc9207 } from './authorization-responses.ts';
import { backchannelLogout } from './backchannel-logout.ts';
import { ciba } from './ciba.ts';
import { clientIdMetadataDocument } from './client-id-metadata-document.ts';
import { conformanceModules } from './conformance-modules.ts';
import { fapi20MessageSigning } from './fapi-2.0-message-signing.ts';
import { fapi20SecurityProfile } from './fapi-2.0-security-profile.ts';
import { frontchannelLogout } from './frontchannel-logout.ts';
import { idJag } from './id-jag.ts';
import { mcpAuthorization } from './mcp-authorization.ts';
import { openidConnectCore } from './openid-connect-core.ts';
import { idTokenRules } from './openid-connect-id-tokens.ts';
import { openidConnectRegistration } from './openid-connect-registration.ts';
import { openidFederation } from './openid-federation.ts';
import { openidFederation11, openidFederationConnect11 } from './openid-federation-1-1.ts';
import type { Specification } from './requirement.ts';
import { rfc6749 } from './rfc6749.ts';
import { rfc6750 } from './rfc6750.ts';
import { rfc7009 } from './rfc7009.ts';
import { rfc7033 } from './rfc7033.ts';
import { rfc7516, rfc7517, rfc7518, rfc7638 } from './rfc7517.ts';
import { rfc7521 } from './rfc7521.ts';
import { rfc7522 } from './rfc7522.ts';
import { rfc7523 } from './rfc7523.ts';
import { rfc7591 } from './rfc7591.ts';
import { rfc7592 } from './rfc7592.ts';
import { rfc7636 } from './rfc7636.ts';
import { rfc7662 } from './rfc7662.ts';
import { rfc8628 } from './rfc8628.ts';
import { rfc8693 } from './rfc8693.ts';
import { rfc8705 } from './rfc8705.ts';
import { rfc8707 } from './rfc8707.ts';
import { rfc9068 } from './rfc9068.ts';
import { rfc9101 } from './rfc9101.ts';
import { rfc9126 } from './rfc9126.ts';
import { rfc9396 } from './rfc9396.ts';
import { rfc9440 } from './rfc9440.ts';
import { rfc9449 } from './rfc9449.ts';
import { rfc9470 } from './rfc9470.ts';
import { rfc9700 } from './rfc9700.ts';
import { rfc9701 } from './rfc9701.ts';
import { rfc9728 } from './rfc9728.ts';
import { rpInitiatedLogout } from './rp-initiated-logout.ts';
import { rpMetadataChoices } from './rp-metadata-choices.ts';
import {
  caep,
  caepInteroperability,
  globalTokenRevocation,
  rfc8417,
  rfc8935,
  rfc8936,
} from './security-events.ts';
import { sharedSignals } from './shared-signals.ts';

/** All tables, in the order of the index. Two tables of one specification share a page. */
export const SPECIFICATIONS: readonly Specification[] = [
  rfc7591,
  rfc7592,
  openidConnectRegistration,
  rfc7662,
  rfc9701,
  rfc9728,
  rfc6749,
  rfc6750,
  rfc7009,
  rfc7033,
  rfc8707,
  rfc9068,
  rfc7516,
  rfc7517,
  rfc7518,
  rfc7638,
  rfc7521,
  rfc7522,
  rfc7523,
  rfc8628,
  ciba,
  rfc8693,
  idJag,
  rfc8705,
  rfc9440,
  rfc9449,
  rfc7636,
  rfc9470,
  rfc9700,
  mcpAuthorization,
  rfc9101,
  rfc9126,
  rfc9396,
  fapi20SecurityProfile,
  fapi20MessageSigning,
  rfc9207,
  jarm,
  responseTypes,
  formPost,
  openidConnectCore,
  idTokenRules,
  rpInitiatedLogout,
  rpMetadataChoices,
  backchannelLogout,
  frontchannelLogout,
  globalTokenRevocation,
  sharedSignals,
  caep,
  caepInteroperability,
  rfc8417,
  rfc8935,
  rfc8936,
  openidFederation,
  openidFederation11,
  openidFederationConnect11,
  clientIdMetadataDocument,
  conformanceModules,
];
