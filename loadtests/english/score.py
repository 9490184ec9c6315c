"""Compares what Rutter did on a recorded page with what was right. Only arithmetic."""

import urllib.parse

from copies import same

# What is done to an element beside that which a label asks for, and changes nothing.
HARMLESS = {"hover", "scroll"}
# The roles of what only leads elsewhere or shows more.
LEADING = {"link", "tab", "disclosuretriangle"}


def plain(text):
    return " ".join(str(text).split()).casefold()


def path_of(element):
    return next((locator["path"] for locator in element.get("locators", []) if locator["by"] == "x_path"), "")


def is_on(path, paths):
    """Whether a path is one of these elements, or lies in one."""
    return any(path == one or path.startswith(one + "/") for one in paths)


def does(step, action):
    """Whether an action does to its element what a step asks for."""
    kind = action["kind"]
    values = {plain(value) for value in [step.get("value", ""), *step.get("or_value", [])]}
    if step["do"] == "press":
        return kind == "click"
    if step["do"] == "type":
        return kind == "type" and plain(action["text"]) in values
    if step["do"] == "choose":
        return kind == "select" and {plain(option) for option in action["options"]} <= values
    wanted = step["do"] == "check"
    return kind == "click" or kind == "check" and action["checked"] == wanted


class Site:
    """The recorded pages of a site, and what can be acted on there."""

    def __init__(self, pages, elements):
        self.pages, self.elements = pages, elements

    def file(self, url):
        parts = urllib.parse.urlsplit(url)
        return self.pages.get(same(parts.path + (f"?{parts.query}" if parts.query else "")))

    def may_look(self, file, element, action):
        """Whether an action changes nothing: it follows a link, shows more, or fills and sends a form that only asks."""
        known = next((one for one in self.elements.get(file, []) if one["path"] == path_of(element)), {})
        if known.get("form") == "get":
            return True
        return action["kind"] == "click" and (known.get("shows") or (known.get("role") or element.get("role")) in LEADING)


def score(steps, trajectory, site):
    """How many of these steps were made right, and which others were made.

    A step is right if the last thing done to its element is what was asked. What was done to an element of no step is wrong; except where it
    changes nothing, and it was not claimed afterwards that all is done: that was looking for what is meant.
    """
    last, others = [None] * len(steps), []
    typed_on = None
    for made in trajectory["steps"]:
        action = made["action"]
        file, element = site.file(made["url"]), action.get("element")
        enters = action.get("submit") or (action["kind"] == "press" and action["keys"] == "Enter")
        if enters and (action["kind"] == "type" or typed_on == file):
            for number, step in enumerate(steps):
                if step.get("submits") and step["file"] == file:
                    last[number] = True
        if element is None or action["kind"] in HARMLESS:
            continue
        typed_on = file if action["kind"] == "type" else typed_on
        path = path_of(element)
        on = [number for number, step in enumerate(steps) if step["file"] == file and is_on(path, step["paths"])]
        for number in on:
            # To press a field before it is filled is a part of filling it.
            if does(steps[number], action) or action["kind"] != "click":
                last[number] = does(steps[number], action)
        if not on:
            looks = bool(site.may_look(file, element, action))
            others.append({"looks": looks, "kind": action["kind"], "role": element.get("role"), "name": element.get("name"), "url": made["url"]})
    claim = trajectory["ending"].get("claim", {})
    claims = claim.get("is") == "done"
    right = sum(1 for done in last if done)
    is_whole = right == len(steps) and bool(steps)
    looked = [] if claims and not is_whole else [other for other in others if other["looks"]]
    return {
        "steps": len(steps),
        "right": right,
        "missed": [step for step, done in zip(steps, last) if not done],
        "wrong": [other for other in others if other not in looked],
        "looked": len(looked),
        "claims": claims,
        "false_done": claims and not is_whole,
        "ended": claim.get("reason") or claim.get("is") or trajectory["ending"]["because"],
    }
