"""Django OAuth Toolkit as a project of its own: settings, routes, tables, first tokens, and the application for gunicorn.

Run as a script it makes the tables and the client, issues the tokens, and prints them with the versions as JSON.
The environment has the place of the database, and the script's standard input the client.
"""

import json
import os
import sys

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import include, path

LIFETIME_S = 86_400

settings.configure(
    DEBUG=False,
    SECRET_KEY=os.environ["BENCH_DJANGO_KEY"],
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    # It tells the length of each answer, which keeps the connection open.
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": "127.0.0.1",
            "PORT": os.environ["BENCH_DATABASE_PORT"],
            "USER": os.environ["BENCH_DATABASE_USER"],
            "NAME": os.environ["BENCH_DATABASE_NAME"],
            # A connection stays open for ever.
            "CONN_MAX_AGE": None,
        }
    },
    OAUTH2_PROVIDER={
        "SCOPES": {"read": "read", "introspection": "introspect tokens"},
        "ACCESS_TOKEN_EXPIRE_SECONDS": LIFETIME_S,
    },
)
application = get_wsgi_application()
urlpatterns = [path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]


def prepare(client_id, client_secret, scope, count):
    """Makes the tables, the client and live tokens of it."""
    from datetime import timedelta

    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone
    from oauth2_provider.models import AccessToken, Application
    from oauthlib.common import generate_token

    call_command("migrate", verbosity=0)
    client = Application.objects.create(
        client_id=client_id,
        client_secret=client_secret,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_CLIENT_CREDENTIALS,
    )
    expires = timezone.now() + timedelta(seconds=LIFETIME_S)
    tokens = [generate_token() for _ in range(count)]
    AccessToken.objects.bulk_create(
        [AccessToken(application=client, token=token, expires=expires, scope=scope) for token in tokens],
        batch_size=1000,
    )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return tokens


def versions():
    """Names the parts in the order of a request."""
    import gunicorn
    import oauth2_provider
    import psycopg2

    return (
        f"django-oauth-toolkit {oauth2_provider.__version__}, Django {django.__version__}, "
        f"gunicorn {gunicorn.__version__}, Python {sys.version.split()[0]}, psycopg2 {psycopg2.__version__.split()[0]}"
    )


if __name__ == "__main__":
    print(json.dumps({"tokens": prepare(**json.load(sys.stdin)), "version": versions()}))
