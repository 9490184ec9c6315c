"""Fills a fresh helpdesk with what a small office has asked in a while.

    fill.py PASSWORD
"""

import sys

import django

django.setup()

from django.contrib.auth import get_user_model
from django.core.management import call_command
from helpdesk.models import (
    Checklist,
    ChecklistTemplate,
    CustomField,
    FollowUp,
    KBCategory,
    KBItem,
    PreSetReply,
    Queue,
    SavedSearch,
    Ticket,
    TicketCC,
    TicketDependency,
)
from helpdesk.query import query_to_base64

User = get_user_model()
TICKETS = [
    ("it", "The printer on the second floor jams", 2, "ada", ["I ordered new rollers.", "They come on Friday."]),
    ("it", "Cannot log in from home", 1, "ben", ["Did you try the other network?"]),
    ("it", "A second screen for the front desk", 4, None, []),
    ("it", "Shared folder is read-only", 3, "ada", ["Which folder is it?", "The one with the invoices."]),
    ("house", "Lamp in the corridor flickers", 3, "ben", ["I had a look, it is the ballast."]),
    ("house", "Keys for the new colleague", 5, None, []),
]
ANSWERS = [
    ("How do I connect to the network?", "Choose *office* and type in the password of your account."),
    ("Where are the spare toners?", "In the cupboard beside the printer."),
    ("How do I book a room?", "Write to the front desk a day before."),
]

password = sys.argv[1]
people = {
    "ada": User.objects.create_superuser("ada", "ada@office.example", password),
    "ben": User.objects.create_user("ben", "ben@office.example", password, is_staff=True),
}
queues = {
    "it": Queue.objects.create(title="Computers", slug="it", allow_public_submission=True, email_address="it@office.example"),
    "house": Queue.objects.create(title="House", slug="house", allow_public_submission=True),
}
CustomField.objects.create(name="room", label="Room", data_type="varchar", max_length=20, ordering=1)
for queue, title, priority, owner, answers in TICKETS:
    ticket = Ticket.objects.create(
        queue=queues[queue],
        title=title,
        description=f"{title}. Since Monday.",
        priority=priority,
        assigned_to=people.get(owner),
        submitter_email="cleo@office.example",
    )
    for number, answer in enumerate(answers):
        writer = people["ada"] if number % 2 == 0 else people["ben"]
        FollowUp.objects.create(ticket=ticket, title="Comment", comment=answer, public=True, user=writer)
first, second, *_ = Ticket.objects.order_by("id")
TicketCC.objects.create(ticket=first, user=people["ben"], can_view=True)
TicketDependency.objects.create(ticket=second, depends_on=first)
template = ChecklistTemplate.objects.create(name="A new colleague", task_list=["Account", "Keys", "Desk"])
Checklist.objects.create(ticket=second, name=template.name).create_tasks_from_template(template)
category = KBCategory.objects.create(name="office", title="The office", slug="office", description="What everybody asks.", queue=queues["it"])
for order, (question, answer) in enumerate(ANSWERS):
    KBItem.objects.create(category=category, title=question, question=question, answer=answer, order=order)
PreSetReply.objects.create(name="We are on it", body="Thank you, we are looking at it.")
urgent = {"filtering": {"priority__in": [1, 2]}, "sorting": "created", "search_string": ""}
SavedSearch.objects.create(user=people["ada"], title="Urgent ones", shared=True, query=query_to_base64(urgent))
call_command("create_usersettings")
