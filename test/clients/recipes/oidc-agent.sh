# OIDC_ENCRYPTION_PW encrypts the account's file. A person leaves the options of the first line of oidc-gen out, and is asked.
eval "$(oidc-agent)" >&2
until oidc-agent --status >/dev/null 2>&1; do sleep 0.1; done
trap 'oidc-agent --kill >&2' EXIT
oidc-gen chancery --no-url-call --prompt=none --confirm-yes --pw-env \
  --issuer="$ISSUER" --at="$INITIAL_ACCESS_TOKEN" --flow=code --redirect-uri="http://localhost:$PORT" \
  --scope='openid profile email offline_access' >&2
oidc-token chancery
# A new one, by the refresh token.
oidc-token --force-new chancery
