"""Fills a fresh forum with what a gardening club has written in a while.

    fill.py PASSWORD
"""

import sys

import django

django.setup()

from django.contrib.auth import get_user_model
from spirit.category.models import Category
from spirit.comment.models import Comment
from spirit.topic.models import Topic

User = get_user_model()
PEOPLE = ["ada", "ben", "cleo", "dirk"]
CATEGORIES = {
    "Vegetables": "What we eat.",
    "Flowers": "What we look at.",
    "Tools and sheds": "What we dig with.",
}
TOPICS = [
    ("Vegetables", "ben", "When do you sow carrots?", ["Mine came up late last year.", "Not before April."]),
    ("Vegetables", "ada", "Slugs in the lettuce", ["They eat everything.", "Try copper.", "Beer works for me."]),
    ("Vegetables", "cleo", "Tomato varieties for the north", ["Which ones ripen outdoors?"]),
    ("Flowers", "cleo", "Roses after the frost", ["Should I cut them back now?"]),
    ("Flowers", "dirk", "Best soil for lavender", ["Sandy, they say."]),
    ("Tools and sheds", "dirk", "Lending the chipper", ["Who has it at the moment?", "I do, until Sunday."]),
    ("Tools and sheds", "ben", "New lock on the shed", ["The code is with Ada."]),
    ("Tools and sheds", "ada", "Autumn clean-up", ["Saturday at ten, bring gloves."]),
]

password = sys.argv[1]
people = {}
for name in PEOPLE:
    make = User.objects.create_superuser if name == "ada" else User.objects.create_user
    people[name] = make(name, f"{name}@garden.example", password)
    people[name].st.is_verified = True
    people[name].st.is_administrator = people[name].st.is_moderator = name == "ada"
    people[name].st.save()
for category in Category.objects.filter(title="Uncategorized"):
    category.delete()
categories = {title: Category.objects.create(title=title, description=text) for title, text in CATEGORIES.items()}
for category, author, title, texts in TOPICS:
    topic = Topic.objects.create(user=people[author], category=categories[category], title=title)
    for number, text in enumerate(texts):
        writer = people[author] if number == 0 else people[PEOPLE[number % 4]]
        Comment.objects.create(user=writer, topic=topic, comment=text, comment_html=f"<p>{text}</p>")
        topic.increase_comment_count()
