"""Where things are: the editors' side, and the pages."""

from django.conf import settings
from django.conf.urls.static import static
from django.urls import include, path
from wagtail import urls as pages
from wagtail.admin import urls as admin
from wagtail.documents import urls as documents

urlpatterns = [
    path("admin/", include(admin)),
    path("documents/", include(documents)),
    *static(settings.MEDIA_URL, document_root=settings.MEDIA_ROOT),
    path("", include(pages)),
]
