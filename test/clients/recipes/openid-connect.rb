require 'json'
require 'openid_connect'
require 'securerandom'
require 'webrick'

issuer, base_url = ENV.fetch('ISSUER'), ENV.fetch('BASE_URL')
SWD.url_builder = URI::HTTP if issuer.start_with?('http:') # only while the server has plain http

config = OpenIDConnect::Discovery::Provider::Config.discover!(issuer)
client = OpenIDConnect::Client.new(
  identifier: ENV.fetch('CLIENT_ID'),
  secret: ENV.fetch('CLIENT_SECRET'),
  redirect_uri: "#{base_url}/callback",
  authorization_endpoint: config.authorization_endpoint,
  token_endpoint: config.token_endpoint,
  userinfo_endpoint: config.userinfo_endpoint
)
# One person at a time: a website keeps these in the person's session.
nonce, state = SecureRandom.hex(16), SecureRandom.hex(16)

server = WEBrick::HTTPServer.new(BindAddress: 'localhost', Port: ENV.fetch('PORT').to_i, AccessLog: [])
server.mount_proc('/login') do |_request, response|
  url = client.authorization_uri(scope: %i[profile email], state: state, nonce: nonce)
  response.set_redirect(WEBrick::HTTPStatus::Found, url)
end
server.mount_proc('/callback') do |request, response|
  raise 'another state' unless request.query['state'] == state

  client.authorization_code = request.query['code']
  token = client.access_token!
  id_token = OpenIDConnect::ResponseObject::IdToken.decode(token.id_token, config.jwks)
  id_token.verify!(issuer: issuer, client_id: client.identifier, nonce: nonce)
  response.body = token.userinfo!.raw_attributes.to_json
end
server.mount_proc('/') { |_request, response| response.body = 'Go to /login' }
server.start
