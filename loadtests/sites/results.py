"""What the runs of `sites.py` amount to: figures for machines, and whether what is claimed of `frontier` holds. Only arithmetic."""

TIMES = [30, 60, 120, 300, 600]
# What `frontier --free` has to reach of the lines of the better Crawljax, at the last of the times.
WANTED = 1.25


def at(curve, seconds):
    """Lines that had run by then: those of the last look before it."""
    looks = [point["covered"] for point in curve if point["at_s"] <= seconds]
    return looks[-1] if looks else curve[0]["covered"]


def row(run):
    """A run; `None` stands for what it was too short for, and for what its kind has not."""
    effort = run.get("effort", {})
    actions = effort.get("actions")
    # Who has nothing left to do ends early, and its lines stay as they are.
    is_early = run["took_s"] < run["seconds"] - 1
    return {
        "strategy": run["strategy"],
        "mode": run["mode"],
        "seconds": run["seconds"],
        "ended_early_s": run["took_s"] if is_early else None,
        "lines_at": {str(time): at(run["curve"], time) if time <= run["seconds"] else None for time in TIMES},
        "states": run.get("states"),
        "actions": run.get("actions"),
        "known_outcome_ratio": effort["known_outcomes"] / actions if actions else None,
        "forms_sent": effort.get("forms_sent"),
        "forms_accepted": effort.get("forms_accepted"),
    }


def is_ours(row):
    return (row["strategy"], row["mode"]) == ("frontier", "free")


def lead_at(rows, time):
    """How `frontier --free` stands to the best of the others at a time; `None` where one of them is missing."""
    have = [(row, row["lines_at"][time]) for row in rows if row["lines_at"][time] is not None]
    ours = [lines for row, lines in have if is_ours(row)]
    others = [(row, lines) for row, lines in have if not is_ours(row)]
    if not ours or not others:
        return None
    best, lines = max(others, key=lambda other: other[1])
    return {"lines": ours[0], "best_other": {name: best[name] for name in ["strategy", "mode"]} | {"lines": lines}}


def over_crawljax(rows, start_up):
    """How many times the lines of the better Crawljax `frontier --free` has, at the last time that both reached."""
    ours = [row for row in rows if is_ours(row)]
    theirs = [row for row in rows if row["strategy"] == "crawljax"]
    times = [time for time in map(str, TIMES) if all(row["lines_at"][time] is not None for row in ours + theirs)]
    if not ours or not theirs or not times:
        return None
    lines = ours[0]["lines_at"][times[-1]]
    better = max(theirs, key=lambda row: row["lines_at"][times[-1]])
    least = better["lines_at"][times[-1]]
    is_known = start_up is not None and least > start_up
    return {
        "seconds": int(times[-1]),
        "lines": lines,
        "mode": better["mode"],
        "crawljax": least,
        "ratio": lines / least,
        "ratio_beyond_start_up": (lines - start_up) / (least - start_up) if is_known else None,
    }


def of_site(name, about, runs):
    """The figures of an application; its start-up runs first, and is no row."""
    start_up = next((run["curve"][-1]["covered"] for run in runs if run["strategy"] == "start-up"), None)
    rows = [row(run) for run in runs if run["strategy"] != "start-up"]
    return {
        "name": name,
        "about": about,
        "total": runs[-1]["curve"][-1]["lines"],
        "start_up": start_up,
        "rows": rows,
        "lead": {str(time): lead_at(rows, str(time)) for time in TIMES},
        "over_crawljax": over_crawljax(rows, start_up),
    }


def claims(sites):
    """Whether `frontier --free` is first at each time on each site, and far enough before Crawljax: how often that was compared, and
    in words where it is not so."""
    leads = [(site["name"], time, lead) for site in sites for time, lead in site["lead"].items() if lead]
    behind = [
        f"{name}, {time} s: {lead['lines']} lines, {label(lead['best_other'])} {lead['best_other']['lines']}"
        for name, time, lead in leads
        if lead["lines"] < lead["best_other"]["lines"]
    ]
    overs = [(site["name"], site["over_crawljax"]) for site in sites if site["over_crawljax"]]
    near = [f"{name}: {over['lines']} lines, {over['ratio']:.3f} times the {over['crawljax']}" for name, over in overs if over["ratio"] < WANTED]
    return {
        "first": {"compared": len(leads), "missed": behind},
        "over_crawljax": {"compared": len(overs), "missed": near},
    }


def label(row):
    """What a row is called."""
    named = {"frontier": f"`frontier --{row['mode']}`", "crawljax": f"Crawljax ({row['mode']})"}
    return named.get(row["strategy"], row["strategy"])
