import { randomBytes } from 'node:crypto';
import type { StoredAccount } from '../../ports/account-store.ts';
import type { StoredInteraction } from '../../ports/interaction-store.ts';
import type { SessionConditions, StoredSession } from '../../ports/session-store.ts';
import type { Digest, LoginName, SessionId, Subject } from '../../spec/identifiers.ts';
import { NOW } from './stored-examples.ts';

/** Records of end-users for the tests of the storage floor. */
const random = (): string => randomBytes(12).toString('hex');

export const aDigest = (): Digest => random() as Digest;

export function anAccount(values: Partial<StoredAccount> = {}): StoredAccount {
  const name = random();
  return {
    sub: random() as Subject,
    version: 1,
    login_name: name as LoginName,
    username: name.toUpperCase(),
    password_hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    claims: '{"name":"Åse 🦊"}',
    created_at: NOW,
    updated_at: NOW,
    disabled_at: null,
    admin_role: null,
    ...values,
  };
}

export function aSession(
  sub: Subject = random() as Subject,
  values: Partial<StoredSession> = {},
): StoredSession {
  return {
    key: aDigest(),
    sid: random() as SessionId,
    sub,
    auth_time: NOW,
    acr: null,
    amr: ['pwd'],
    created_at: NOW,
    last_seen_at: NOW,
    expires_at: NOW + 600,
    ends_at: NOW + 3600,
    ...values,
  };
}

/** A sign-in of an account that is kept elsewhere, in a browser that had no session. */
export const NEW_SESSION: SessionConditions = {
  replaces: undefined,
  accountVersion: undefined,
  sessionsMax: 100,
  now: NOW,
};

export function anInteraction(values: Partial<StoredInteraction> = {}): StoredInteraction {
  return {
    key: aDigest(),
    kind: 'authorization',
    browser: aDigest(),
    version: 1,
    content: '{}',
    created_at: NOW,
    expires_at: NOW + 600,
    ...values,
  };
}
