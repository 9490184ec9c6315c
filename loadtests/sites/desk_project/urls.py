"""Addresses of the helpdesk, with the administration of Django that its settings lead to."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("helpdesk.urls", namespace="helpdesk")),
]
