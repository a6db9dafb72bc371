require 'json'
require 'openid_connect'

issuer, base_url = ENV.fetch('ISSUER'), ENV.fetch('BASE_URL')
SWD.url_builder = URI::HTTP if issuer.start_with?('http:') # only while the server has plain http

config = OpenIDConnect::Discovery::Provider::Config.discover!(issuer)
client = OpenIDConnect::Client::Registrar.new(
  config.registration_endpoint,
  client_name: 'Website',
  application_type: 'web',
  redirect_uris: ["#{base_url}/callback"],
  initial_access_token: ENV.fetch('INITIAL_ACCESS_TOKEN')
).register!
# Keep the secret.
puts({ client_id: client.identifier, client_secret: client.secret }.to_json)
