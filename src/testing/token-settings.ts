import type { TokenSettings } from '../grants/grant.ts';

export const LIFETIMES = {
  accessToken: 600,
  accessTokenMax: 86_400,
  refreshToken: 2_592_000,
  refreshTokenMax: 31_536_000,
  idToken: 300,
  idTokenMax: 86_400,
  initialAccessToken: 3600,
  initialAccessTokenMax: 2_592_000,
} as const;

export interface TokenOptions {
  readonly accessToken?: Partial<TokenSettings['accessToken']>;
  readonly refreshToken?: Partial<TokenSettings['refreshToken']>;
}

export function tokenSettings({ accessToken, refreshToken }: TokenOptions = {}): TokenSettings {
  return {
    accessToken: {
      format: 'identifier',
      lifetime: LIFETIMES.accessToken,
      lifetimeMax: LIFETIMES.accessTokenMax,
      resources: [],
      resourceLengthMax: 2000,
      ...accessToken,
    },
    refreshToken: {
      lifetime: LIFETIMES.refreshToken,
      lifetimeMax: LIFETIMES.refreshTokenMax,
      maxIdle: 0,
      rotate: false,
      ...refreshToken,
    },
  };
}
