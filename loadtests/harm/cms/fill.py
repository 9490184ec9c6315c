"""Fills a fresh website with what an office has after a while: people, pages, drafts, pictures, documents, answers.

    fill.py PASSWORD
"""

import io
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")

import django

django.setup()

from django.contrib.auth.models import Group, User
from django.core.files.base import ContentFile
from django.core.management import call_command
from lantern.models import Advert, Contact, FormField, FormPage, StandardPage
from PIL import Image as Picture
from wagtail.contrib.forms.models import FormSubmission
from wagtail.contrib.redirects.models import Redirect
from wagtail.contrib.search_promotions.models import Query, SearchPromotion
from wagtail.documents.models import Document
from wagtail.images.models import Image
from wagtail.models import Collection, Comment, Page, PageViewRestriction, Site


def people(password):
    mara = User.objects.create_superuser("mara", "mara@lantern.example", password, first_name="Mara", last_name="Lind")
    for name, group in [("ben", "Editors"), ("cleo", "Moderators"), ("dirk", "Editors")]:
        person = User.objects.create_user(name, f"{name}@lantern.example", password, first_name=name.title(), last_name="Fry")
        person.groups.add(Group.objects.get(name=group))
    return mara


def paragraphs(*texts):
    return [("heading", texts[0]), *[("paragraph", f"<p>{text}</p>") for text in texts[1:]]]


def page(parent, title, introduction, author, live=True):
    made = StandardPage(title=title, introduction=introduction, body=paragraphs(title, introduction, "More soon."), owner=author, live=live)
    parent.add_child(instance=made)
    revision = made.save_revision(user=author)
    if live:
        revision.publish(user=author)
    return made


def pages(mara):
    Page.objects.filter(depth=2).delete()
    root = Page.get_first_root_node()
    home = page(Page.objects.get(pk=root.pk), "Lantern", "We keep the lamps.", mara)
    Site.objects.all().delete()
    site = Site.objects.create(hostname="127.0.0.1", port=80, root_page=home, is_default_site=True, site_name="Lantern")
    about = page(home, "About us", "Since 1891.", mara)
    lamps = page(home, "Lamps", "All sizes.", mara)
    for title in ["Storm lamp", "Ship's lamp", "Desk lamp"]:
        page(lamps, title, "Brass and glass.", mara)
    page(home, "Summer fair", "Not announced yet.", mara, live=False)
    # What somebody began to change and did not publish.
    about.introduction = "Since 1891, and still here."
    revision = about.save_revision(user=User.objects.get(username="ben"))
    Comment.objects.create(page=about, user=mara, text="Is the year right?", contentpath="introduction", revision_created=revision)
    private = page(home, "Members", "For members.", mara)
    PageViewRestriction.objects.create(page=private, restriction_type="password", password="oil")
    form = FormPage(title="Write to us", thanks="<p>Thank you.</p>", to_address="office@lantern.example", from_address="www@lantern.example", subject="A letter")
    home.add_child(instance=form)
    for order, (label, kind) in enumerate([("Name", "singleline"), ("Letter", "multiline")]):
        FormField.objects.create(page=form, sort_order=order, label=label, field_type=kind, required=True)
    for name in ["Ada", "Nora", "Ole"]:
        FormSubmission.objects.create(page=form, form_data={"name": name, "letter": "Please call."})
    Contact.objects.create(site=site, telephone="555 0100", street="4 Hill Road")
    Redirect.objects.create(old_path="/old", redirect_page=about)
    Redirect.objects.create(old_path="/shop", redirect_link="/lamps/")
    return home


def library(mara, home):
    harbour = Collection.get_first_root_node().add_child(name="Harbour")
    for number, name in enumerate(["Lamp", "Pier", "Quay"]):
        data = io.BytesIO()
        Picture.new("RGB", (240, 160), (90 * number, 90, 120)).save(data, "PNG")
        file = ContentFile(data.getvalue(), name=f"{name.lower()}.png")
        Image.objects.create(title=name, uploaded_by_user=mara, file=file, file_size=len(data.getvalue()))
    for name in ["Prices", "Rules"]:
        file = ContentFile(f"{name} of Lantern".encode(), name=f"{name.lower()}.txt")
        Document.objects.create(title=name, collection=harbour, uploaded_by_user=mara, file=file)
    for text in ["Lamps at half price", "Glass that lasts"]:
        advert = Advert.objects.create(text=text, url="http://127.0.0.1/lamps/")
        advert.save_revision(user=mara).publish()
    query = Query.get("lamp")
    SearchPromotion.objects.create(query=query, page=home, description="All our lamps")


author = people(sys.argv[1])
library(author, pages(author))
call_command("update_index", verbosity=0)
call_command("rebuild_references_index", verbosity=0)
