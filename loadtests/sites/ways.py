"""The test of a way to a state, in the native format that `rutter replay` goes: the steps of `rutter graph path`, what was filled in before
each, and the wish that the state is reached. Pure.

A map knows a state by more than a check can say. So a state is taken as reached at an address like one at which it was seen. Where the way
led to the page that the map describes, that page has to have its title, too, and what tells it from the state before and from others of
its kind, as far as their summaries show it. Numbers do not count.
"""

import json
import re
import urllib.parse

FILLING = {"type", "select", "check", "upload"}
# Longer ones are cut in the map, so that what is not in them may still be on the page.
WHOLE_SUMMARY = 390
# Of what tells a state from others, so many are looked for.
MOST_SIGNS = 3


def test(name, state, path, states, visits, run):
    """The test of the way `path` to a state, with the log-in of the run."""
    exploration, site = run["jobs"][0]["work"]["exploration"], run["jobs"][0]["work"]["site"]
    before = next((known for known in states if path["steps"] and known["id"] == path["steps"][-1]["from"]), None)
    check = reached(state, before, led_to(path, state, visits), states, visits)
    instruction = f"Reaches the state {name}"
    limits = {"steps": 100, "seconds": 120, "repeats": 100, "invalid": 3, "patience": 10}
    task = {"id": name, "start_url": exploration["start_url"], "instruction": instruction, "check": check, "limits": limits}
    start = {"kind": "task", "task": task, "site": {**site, "login": exploration["login"]}}
    steps = [{"action": action, "reason": ""} for action in actions(path, visits)]
    return {"format": 1, "name": name, "instruction": instruction, "start": start, "steps": steps, "check": check}


def actions(path, visits):
    """What is done on a way; a step that sent a form comes after what was filled in before it."""
    done = [{"kind": "goto", "url": path["address"]}] if path["address"] else []
    for step in path["steps"]:
        done += [*filled_before(step, visits), step["action"]]
    return done


def filled_before(step, visits):
    """What was filled in right before a step was done for the first time, by who did it."""
    at = first_time(step, visits)
    if at is None:
        return []
    filled = []
    for visit in reversed(visits[:at]):
        if visit["crawler"] != visits[at]["crawler"]:
            continue
        deed = visit["deed"]
        if not deed or deed["key"] is not None or deed["from"] != step["from"] or deed["action"]["kind"] not in FILLING:
            break
        filled.append(deed["action"])
    return filled[::-1]


def first_time(step, visits):
    """Which visit came of this step first."""

    def is_it(visit):
        deed = visit["deed"]
        return deed and (deed["from"], visit["state"], named(deed["action"])) == (step["from"], step["to"], named(step["action"]))

    return next((at for at, visit in enumerate(visits) if is_it(visit)), None)


def named(action):
    """What is done to which element, wherever it stands on the page."""
    element = action.get("element") or {}
    return action["kind"], action.get("url"), element.get("role"), element.get("name"), element.get("tag")


def led_to(path, state, visits):
    """The address at which the way ended when it was found."""
    if not path["steps"]:
        return path["address"] or state["url"]
    at = first_time(path["steps"][-1], visits)
    return state["url"] if at is None else visits[at]["url"]


def reached(state, before, ended, states, visits):
    """The check that a state is reached."""
    seen_at = {state["url"], *(visit["url"] for visit in visits if visit["state"] == state["id"])}
    shapes = sorted(set(map(shape, seen_at)))
    check = [{"any": [at_address(path, asked) for path, asked in shapes]}]
    if shape(ended) == shape(state["url"]):
        check += looks_like(state, before, states)
    return {"all": check}


def shape(url):
    """The path without numbers, and the names that its query has."""
    parts = urllib.parse.urlsplit(url)
    names = sorted({name for name, _ in urllib.parse.parse_qsl(parts.query, keep_blank_values=True)})
    return re.sub(r"\d+", "#", parts.path), tuple(names)


def at_address(path, asked):
    pattern = re.escape(path).replace(r"\#", r"\d+")
    has = f"{json.dumps(asked)}.every(name => new URLSearchParams(location.search).has(name))"
    return {"all": [{"url": {"matches": f"^https?://[^/]+{pattern}([?#].*)?$"}}, {"page_state": {"expression": has, "equals": True}}]}


def looks_like(state, before, states):
    """The title, and words that tell this page from others of its kind."""
    kind = [other for other in states if other["id"] != state["id"] and other["template"] == state["template"]]
    # First what fewest of the others have.
    signs = words(state)
    rare = sorted(signs, key=lambda word: sum(word in words(other) for other in kind))
    rare = [word for word in rare if any(word not in words(other) for other in kind)][:MOST_SIGNS]
    gone = []
    if before in kind and all(word in words(before) for word in rare) and len(state["summary"]) < WHOLE_SUMMARY:
        gone = [word for word in words(before) if word not in signs][:MOST_SIGNS]
    title = re.sub(r"\d+", "#", re.sub(r"\s+", " ", state["title"]).strip())
    titled = r"document.title.trim().replace(/\s+/g, ' ').replace(/\d+/g, '#')"
    return [{"page_state": {"expression": titled, "equals": title}}, *map(shown, rare), *({"not": shown(word)} for word in gone)]


def words(state):
    """What the summary of a state lists after the title, without numbers; its end may be cut off."""
    listed = state["summary"].split(" · ")[1:]
    if len(state["summary"]) >= WHOLE_SUMMARY:
        listed.pop()
    return list(dict.fromkeys(re.sub(r"\d+", "#", word) for word in listed))


def shown(word):
    """The page says it, or has an element called so."""
    pattern = {"matches": re.escape(word).replace(r"\#", r"\d+")}
    return {"any": [{"text": pattern}, {"element": {"name": pattern}}]}
