require 'oauth2'
require 'securerandom'
require 'webrick'

issuer = ENV.fetch('ISSUER')
redirect_uri = "#{ENV.fetch('BASE_URL')}/callback"
client = OAuth2::Client.new(
  ENV.fetch('CLIENT_ID'),
  ENV.fetch('CLIENT_SECRET'),
  site: issuer,
  authorize_url: '/authorize',
  token_url: '/token'
)
# One person at a time: a website keeps this in the person's session.
state = SecureRandom.hex(16)

server = WEBrick::HTTPServer.new(BindAddress: 'localhost', Port: ENV.fetch('PORT').to_i, AccessLog: [])
server.mount_proc('/login') do |_request, response|
  url = client.auth_code.authorize_url(redirect_uri: redirect_uri, scope: 'openid profile email', state: state)
  response.set_redirect(WEBrick::HTTPStatus::Found, url)
end
server.mount_proc('/callback') do |request, response|
  raise 'another state' unless request.query['state'] == state

  token = client.auth_code.get_token(request.query['code'], redirect_uri: redirect_uri)
  response.body = token.get('/userinfo').body
end
server.mount_proc('/') { |_request, response| response.body = 'Go to /login' }
server.start
