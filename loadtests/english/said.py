"""What is said to the applications: sentences with the steps that are right, and tasks with what holds of the data afterwards.

Both stand in `said/*.yaml` and were written from the applications' pages, before anything was run on them.

    pages       the paths of each site that are recorded
    sentences   `at` (site and path), `say`, and `steps`; without steps the right thing is to do nothing, since what is meant is not there
    tasks       `at`, `say`, `done` (a question in SQL, answered with 1) and `touches`: how many rows may be new, gone or changed then

A step's `do` is press, type, choose, check or uncheck. Its element is known by `role` and `name`; by `field`, its name in the form, where it
has no other; by `to`, where a link leads; and by `of`, a text of the item that it belongs to. `page` is where it is, when that is not
the first page. `all` takes every element that is so called, `or` names others that are as right, `or_value` other values, and `submits`
says that Enter in a field does the same.
"""

import re
from pathlib import Path

import yaml

from copies import same

FILES = sorted((Path(__file__).resolve().parent / "said").glob("*.yaml"))


class Unclear(Exception):
    """A label that names no element of its page, or several."""


class Said:
    """All files together: pages and sentences by site, and tasks."""

    def __init__(self):
        self.pages, self.sentences, self.tasks = {}, {}, []
        for file in FILES:
            read = yaml.safe_load(file.read_text())
            self.pages |= read["pages"]
            for one in read["sentences"]:
                site, path = one["at"].split(" ", 1)
                known = self.sentences.setdefault(site, [])
                known.append({**one, "site": site, "path": path, "id": f"{site}-{len(known) + 1}"})
            for number, one in enumerate(read["tasks"], 1):
                site, path = one["at"].split(" ", 1)
                self.tasks.append({**one, "site": site, "path": path, "id": f"{site}-task-{number}"})


def how_far(of, element):
    """How many steps above an element the text of its item is; nothing where it is not."""
    pattern = re.compile(rf"(?<!\w){re.escape(of)}(?!\w)", re.IGNORECASE)
    return next((depth for depth, text in enumerate(element["above"]) if pattern.search(text)), None)


def meant(target, elements):
    """The paths of the elements that a label means, among those of its page."""
    found = [one for one in elements if one["role"] == target["role"]]
    for key in ["name", "field"]:
        if key in target:
            found = [one for one in found if one[key] == target[key]]
    if "to" in target:
        found = [one for one in found if same(one["href"] or "") == same(target["to"])]
    if "of" in target:
        depths = [(depth, one) for one in found if (depth := how_far(target["of"], one)) is not None]
        nearest = min((depth for depth, _ in depths), default=None)
        found = [one for depth, one in depths if depth == nearest]
    if not found:
        raise Unclear(f"{target}: no such element")
    if len(found) > 1 and not target.get("all") and "to" not in target:
        raise Unclear(f"{target}: {len(found)} elements")
    return {one["path"] for one in found}


def bound(sentence, pages, elements):
    """The sentence's steps, each with the file of its page and the paths of its elements."""
    steps = []
    for step in sentence["steps"]:
        file = pages.get(same(step.get("page", sentence["path"])))
        if file is None:
            raise Unclear(f"{step}: its page was not recorded")
        paths = meant(step, elements[file])
        for other in step.get("or", []):
            paths |= meant(other, elements[file])
        steps.append({**step, "file": file, "paths": paths})
    return steps
