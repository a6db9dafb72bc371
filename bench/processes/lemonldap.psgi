# The portal of LemonLDAP::NG as its package has it. Each answer also tells its length, so that the load can read it.
use Plack::Builder;
use Lemonldap::NG::Portal::Main;

my $portal = Lemonldap::NG::Portal::Main->run({});
builder { enable 'ContentLength'; $portal; };
