// Writes one registration per client of `hydra list clients --format json`: node from-hydra.mjs clients.json FOLDER
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const [file, folder] = process.argv.slice(2);
/** Members of Hydra that are none of RFC 7591, or that the new server sets itself. */
const LEFT_OUT =
  /^(client_secret.*|registration_.*|.*_at|.*_lifespan|owner|metadata|audience|skip_.*|allowed_cors_origins|access_token_strategy|backchannel_logout_session_required)$/;
const isEmpty = (value) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
mkdirSync(folder, { mode: 0o700 });
const read = JSON.parse(readFileSync(file, 'utf8'));
for (const client of Array.isArray(read) ? read : read.items) {
  const { client_id, userinfo_signed_response_alg: userinfo, audience, metadata, ...rest } = client;
  // Hydra stores `code` as the default, also for clients that never use it.
  if (!/authorization_code|implicit/.test(client.grant_types)) delete rest.response_types;
  const kept = Object.entries(rest).filter(([name, value]) => !LEFT_OUT.test(name) && !isEmpty(value));
  const registration = {
    preferred_client_id: client_id,
    ...Object.fromEntries(kept),
    ...(isEmpty(audience ?? null) ? {} : { chancery_access_token_audience: audience }),
    ...(isEmpty(metadata ?? null) ? {} : { data: metadata }),
    ...(userinfo === undefined || userinfo === 'none' ? {} : { userinfo_signed_response_alg: userinfo }),
  };
  const name = encodeURIComponent(client_id);
  writeFileSync(`${folder}/${name}.json`, JSON.stringify(registration, null, 2), { mode: 0o600 });
}
