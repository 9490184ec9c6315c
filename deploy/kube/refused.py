"""Resources that the API server refuses by itself, each with what its message must say: what is wrong and what to do.

An entry is a name, the kind, the change to a valid resource, and words of the message. A change is a JSON merge patch: `None` takes
a field away. Entries with a second change are refused as an update: the first one is accepted before.
"""

TASKS = """tasks:
  - id: front-page
    start_url: https://shop.example/
    instruction: Open the basket
"""

VALID = {
    "Campaign": {"spec": {"tasks": {"inline": TASKS}}},
    "Schedule": {"spec": {"cron": "0 6 * * 1-5", "timeZone": "Europe/Berlin", "template": {"spec": {"tasks": {"inline": TASKS}}}}},
    "Fleet": {"spec": {"browsers": {"podTemplate": "browser", "grid": {"url": "http://grid:4444"}, "max": 10}}},
}

EXPLORATION = {"tasks": None, "exploration": {"startUrl": "https://shop.example/", "seconds": 600}}

REFUSED = [
    # Campaigns.
    ("a campaign without work", "Campaign", {"tasks": None}, "either `tasks` or an `exploration`: set exactly one"),
    ("a campaign with both kinds of work", "Campaign", {"exploration": EXPLORATION["exploration"]}, "set exactly one of them"),
    ("tasks from nowhere", "Campaign", {"tasks": {"inline": None}}, "tasks stand either in the resource (`inline`) or in a ConfigMap"),
    ("tasks from two places", "Campaign", {"tasks": {"configMap": {"name": "a", "key": "b"}}}, "set exactly one of them"),
    ("a text that is no task file", "Campaign", {"tasks": {"inline": "buy a lamp"}}, "a mapping with the field `tasks`"),
    ("a ConfigMap without a key", "Campaign", {"tasks": {"inline": None, "configMap": {"name": "a"}}}, "spec.tasks.configMap.key"),
    ("a start that is no address", "Campaign", {**EXPLORATION, "exploration": {"startUrl": "shop.example", "seconds": 60}},
     "must be an absolute http or https address, e.g. https://shop.example/"),
    ("a start of another scheme", "Campaign", {**EXPLORATION, "exploration": {"startUrl": "file:///etc/passwd", "seconds": 60}},
     "must be an absolute http or https address"),
    ("an exploration without an end", "Campaign", {**EXPLORATION, "exploration": {"startUrl": "https://shop.example/"}},
     "spec.exploration.seconds"),
    ("an exploration of a year", "Campaign", {**EXPLORATION, "exploration": {"startUrl": "https://shop.example/", "seconds": 31_536_000}},
     "less than or equal to 604800"),
    ("an exploration in a mode that is none", "Campaign",
     {**EXPLORATION, "exploration": {"startUrl": "https://shop.example/", "seconds": 60, "mode": "Wild"}},
     '"ReadOnly", "Careful", "Free", "Destructive"'),
    ("a class that is none", "Campaign", {"class": "Urgent"}, '"Interactive", "Scheduled", "Background"'),
    ("no share", "Campaign", {"share": 0}, "greater than or equal to 1"),
    ("a rate of nothing", "Campaign", {"rates": [{"host": "shop.example", "perSecond": 0}]}, "must be above 0: to leave a host alone"),
    ("a rate of an address", "Campaign", {"rates": [{"host": "https://shop.example/", "perSecond": 1}]}, "leave out the scheme and the path"),
    ("two rates of one host", "Campaign", {"rates": [{"host": "a", "perSecond": 1}, {"host": "a", "perSecond": 2}]}, "Duplicate value"),
    ("limits that limit nothing", "Campaign", {"limits": {}}, "set `steps` or `seconds`, or leave it out"),
    ("a limit of no step", "Campaign", {"limits": {"steps": 0}}, "greater than or equal to 1"),
    ("a budget that limits nothing", "Campaign", {"budget": {}}, "set `usd` or `tokens`, or leave it out"),
    ("a budget of nothing", "Campaign", {"budget": {"usd": 0}}, "`usd` must be above 0"),
    ("a wish that is none", "Campaign", {"wish": "Stop"}, '"Run", "Pause", "Cancel"'),
    ("a project that is no name of one", "Campaign", {"project": "Our shop"}, "lower-case letters, digits and hyphens between them, e.g. payments"),
    ("a field that there is not", "Campaign", {"planer": {"name": "ground"}}, 'unknown field "spec.planer"'),
    # Campaigns that are there already.
    ("other tasks", "Campaign", {}, {"tasks": {"inline": TASKS + "# another\n"}}, "create another Campaign, or a Schedule that makes them"),
    ("another planner", "Campaign", {}, {"planner": {"name": "random"}}, "create another Campaign to compare planners"),
    ("another class", "Campaign", {}, {"class": "Background"}, "`class` and `share` are fixed once the campaign is created"),
    ("a larger budget", "Campaign", {"budget": {"usd": 1}}, {"budget": {"usd": 2}}, "hand the rest in as another Campaign"),
    ("other rates", "Campaign", {"rates": [{"host": "a", "perSecond": 1}]}, {"rates": [{"host": "a", "perSecond": 9}]},
     "`rates` are fixed once the campaign is created"),
    ("other limits", "Campaign", {"limits": {"steps": 5}}, {"limits": {"steps": 50}}, "`limits` are fixed once the campaign is created"),
    ("other labels", "Campaign", {}, {"labels": {"region": "eu"}}, "`labels` of the work are fixed once the campaign is created"),
    ("another project", "Campaign", {}, {"project": "payments"}, "create another Campaign in the other project"),
    ("an end taken back", "Campaign", {"wish": "Cancel"}, {"wish": "Run"}, "a cancelled campaign stays cancelled"),
    # Schedules.
    ("six fields", "Schedule", {"cron": "0 0 6 * * 1"}, "`cron` has five fields (minute, hour, day of month, month, day of week)"),
    ("words for a time", "Schedule", {"cron": "every morning"}, "`cron` has five fields"),
    ("a zone within the fields", "Schedule", {"cron": "TZ=UTC 0 6 * * *"}, "write the time zone into `timeZone`"),
    ("an abbreviated zone", "Schedule", {"timeZone": "CET"}, "a name of the IANA database, e.g. Europe/Berlin"),
    ("the zone of nobody knows where", "Schedule", {"timeZone": "Local"}, "do not say what daylight saving does"),
    ("a policy that is none", "Schedule", {"concurrencyPolicy": "Queue"}, '"Allow", "Forbid", "Replace"'),
    ("a window shorter than a look", "Schedule", {"catchUpSeconds": 3}, "0 (never late) or at least 10"),
    ("a history of less than nothing", "Schedule", {"history": {"failed": -1}}, "greater than or equal to 0"),
    ("campaigns that begin cancelled", "Schedule", {"template": {"spec": {"wish": "Cancel"}}}, "set `suspend: true` on the schedule"),
    ("a template without work", "Schedule", {"template": {"spec": {"tasks": None}}}, "set exactly one of them"),
    # Fleets.
    ("a fleet of nothing", "Fleet", {"browsers": None}, "set `browsers`, `crawlers` or `planners`"),
    ("more at least than at most", "Fleet", {"browsers": {"min": 11}}, "`min` must not be above `max`"),
    ("more for the background than for all", "Fleet", {"browsers": {"backgroundMax": 11}}, "`backgroundMax` must not be above `max`"),
    ("a hub that is no address", "Fleet", {"browsers": {"grid": {"url": "grid:4444"}}}, "e.g. http://rutter-grid:4444"),
    ("no browser at most", "Fleet", {"browsers": {"max": 0}}, "greater than or equal to 1"),
    ("crawlers of no Deployment", "Fleet", {"crawlers": {"max": 2, "slots": 1}}, "spec.crawlers.deployment"),
    ("no time to drain", "Fleet", {"browsers": {"drainSeconds": 0}}, "greater than or equal to 1"),
]


def merged(target, change):
    """A JSON merge patch."""
    if not isinstance(change, dict):
        return change
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def resource(kind, name, namespace, change):
    valid = VALID[kind]
    return {
        "apiVersion": "rutter.dev/v1alpha1", "kind": kind, "metadata": {"name": name, "namespace": namespace},
        "spec": merged(valid["spec"], change),
    }
