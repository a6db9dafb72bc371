# A machine without a browser. OIDC_ENCRYPTION_PW as in oidc-agent.sh.
eval "$(oidc-agent)" >&2
until oidc-agent --status >/dev/null 2>&1; do sleep 0.1; done
trap 'oidc-agent --kill >&2' EXIT
oidc-gen device --no-url-call --prompt=none --confirm-yes --pw-env \
  --issuer="$ISSUER" --at="$INITIAL_ACCESS_TOKEN" --flow=device \
  --scope='openid profile email offline_access' >&2
oidc-token device
# A new one, by the refresh token.
oidc-token --force-new device
