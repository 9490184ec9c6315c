"""Settings of the forum: those of the project that `spirit startproject` writes, with its data in one folder and no letters sent."""

import os
from pathlib import Path

from club.settings.base import *
from club.settings.base import TEMPLATES

DATA = Path(os.environ["FORUM_DATA"])
SECRET_KEY = "not secret: nobody but these tests comes here"
DEBUG = True
ALLOWED_HOSTS = ["127.0.0.1"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATA / "forum.sqlite", "OPTIONS": {"timeout": 20}}}
LOCAL = "django.core.cache.backends.locmem.LocMemCache"
CACHES = {"default": {"BACKEND": LOCAL}, "st_rate_limit": {"BACKEND": LOCAL, "LOCATION": "limits", "TIMEOUT": None}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
MEDIA_ROOT = DATA / "media"
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": str(DATA / "search")}}
ROOT_URLCONF = "club.urls"
WSGI_APPLICATION = None
ST_RATELIMIT_ENABLE = False
ST_SITE_URL = "http://127.0.0.1/"
LOGGING = {"version": 1, "disable_existing_loggers": False}
