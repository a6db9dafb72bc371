require 'json'
require 'omniauth'
require 'omniauth_openid_connect'
require 'rack'
require 'rack/handler/webrick'

issuer, base_url = URI(ENV.fetch('ISSUER')), ENV.fetch('BASE_URL')
SWD.url_builder = URI::HTTP if issuer.scheme == 'http' # only while the server has plain http
# A link signs in. With OmniAuth's default, a form with a token must.
OmniAuth.config.allowed_request_methods = [:get]
OmniAuth.config.silence_get_warning = true

website = Rack::Builder.new do
  use Rack::Session::Cookie, secret: 'replace this'
  use OmniAuth::Builder do
    provider :openid_connect,
             name: :chancery,
             issuer: issuer.to_s,
             discovery: true,
             scope: %i[openid profile email],
             client_options: {
               scheme: issuer.scheme,
               host: issuer.host,
               port: issuer.port,
               identifier: ENV.fetch('CLIENT_ID'),
               secret: ENV.fetch('CLIENT_SECRET'),
               redirect_uri: "#{base_url}/auth/chancery/callback"
             }
  end
  map('/auth/chancery/callback') do
    run ->(env) { [200, {}, [env['omniauth.auth'].info.to_json]] }
  end
  run ->(_env) { [200, {}, ['Go to /auth/chancery']] }
end
Rack::Handler::WEBrick.run(website, Host: 'localhost', Port: ENV.fetch('PORT').to_i, AccessLog: [])
