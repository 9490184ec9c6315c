"""The kinds of content that the website has."""

from django.db import models
from modelcluster.fields import ParentalKey
from wagtail.admin.panels import FieldPanel, InlinePanel
from wagtail.blocks import CharBlock, RichTextBlock
from wagtail.contrib.forms.models import AbstractEmailForm, AbstractFormField
from wagtail.contrib.settings.models import BaseSiteSetting, register_setting
from wagtail.fields import RichTextField, StreamField
from wagtail.images.blocks import ImageBlock
from wagtail.models import DraftStateMixin, Page, PreviewableMixin, RevisionMixin
from wagtail.search import index
from wagtail.snippets.models import register_snippet


class StandardPage(Page):
    introduction = models.CharField(max_length=200, blank=True)
    body = StreamField([("heading", CharBlock()), ("paragraph", RichTextBlock()), ("image", ImageBlock())], blank=True)
    search_fields = [*Page.search_fields, index.SearchField("introduction")]
    content_panels = [*Page.content_panels, FieldPanel("introduction"), FieldPanel("body")]


class FormField(AbstractFormField):
    page = ParentalKey("FormPage", on_delete=models.CASCADE, related_name="form_fields")


class FormPage(AbstractEmailForm):
    thanks = RichTextField(blank=True)
    content_panels = [
        *AbstractEmailForm.content_panels,
        InlinePanel("form_fields"),
        FieldPanel("thanks"),
        FieldPanel("to_address"),
        FieldPanel("from_address"),
        FieldPanel("subject"),
    ]


@register_snippet
class Advert(PreviewableMixin, DraftStateMixin, RevisionMixin, models.Model):
    url = models.URLField(blank=True)
    text = models.CharField(max_length=255)
    panels = [FieldPanel("url"), FieldPanel("text")]

    def __str__(self):
        return self.text

    def get_preview_template(self, request, mode_name):
        return "lantern/advert.html"


@register_setting
class Contact(BaseSiteSetting):
    telephone = models.CharField(max_length=40, blank=True)
    street = models.CharField(max_length=80, blank=True)
