from django.apps import AppConfig


class Lantern(AppConfig):
    name = "lantern"
    default_auto_field = "django.db.models.BigAutoField"
