use strict;
use warnings;
use HTTP::Daemon;
use HTTP::Response;
use Net::OAuth2::Profile::WebServer;

my ($issuer, $base_url) = @ENV{qw(ISSUER BASE_URL)};
my $client = Net::OAuth2::Profile::WebServer->new(
    client_id         => $ENV{CLIENT_ID},
    client_secret     => $ENV{CLIENT_SECRET},
    site              => $issuer,
    authorize_path    => '/authorize',
    access_token_path => '/token',
    redirect_uri      => "$base_url/callback",
    scope             => 'openid profile email',
);
# One person at a time: a website keeps this in the person's session.
my $state = join '', map { sprintf '%08x', rand 2**32 } 1 .. 4;

sub answer {
    my ($uri) = @_;
    my %query = $uri->query_form;
    return HTTP::Response->new(302, 'Found', [Location => $client->authorize(state => $state)])
        if $uri->path eq '/login';
    return HTTP::Response->new(200, 'OK', [], 'Go to /login') if $uri->path ne '/callback';
    return HTTP::Response->new(400, 'Bad Request') if $query{state} ne $state;
    my $token = $client->get_access_token($query{code});
    return HTTP::Response->new(200, 'OK', [], $token->get("$issuer/userinfo")->decoded_content);
}

my $website = HTTP::Daemon->new(LocalAddr => 'localhost', LocalPort => $ENV{PORT}, ReuseAddr => 1) or die $@;
while (my $connection = $website->accept) {
    my $request = $connection->get_request;
    $connection->send_response(answer($request->uri)) if $request;
    $connection->close;
}
