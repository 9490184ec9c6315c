"""Settings of the helpdesk: what its guide asks a project for, with all data in one folder and no letters sent."""

import os
from pathlib import Path

# Where this copy keeps what it stores.
DATA = Path(os.environ["DESK_DATA"])

SECRET_KEY = "not secret: nobody but these tests comes here"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.sites",
    "django.contrib.staticfiles",
    "rest_framework",
    "helpdesk",
]
SITE_ID = 1
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA / "desk.sqlite",
        # Several browsers write at the same time.
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = USE_TZ = True
STATIC_URL, MEDIA_URL, MEDIA_ROOT = "/static/", "/media/", DATA / "media"
LOGIN_URL, LOGIN_REDIRECT_URL = "/login/", "/dashboard/"
# Its knowledge base would want another package for that.
HELPDESK_TEAMS_MODE_ENABLED = False
