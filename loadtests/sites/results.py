"""What the runs of `sites.py` amount to: means and ranges, and the page that tells them. Only arithmetic and words."""

PAGE = """# Two real applications

How many lines of an application's server run while it is explored, at equal wall time: {seconds} s, {browsers} browsers, {repeats}
repeats of each, every run on a server of its own with a fresh copy of the same data. Lines are counted by coverage.py over the
whole package of the application. The *final* value is that at the end of the time; the *mean over time* is the area under the curve,
divided by the time, and says how early lines ran. Each figure is the mean of the repeats, with their range.

*start-up* is what runs when the server starts and nobody comes. *plain crawl* is an HTTP client that logs in and follows links, as
many at a time as there are browsers. All others are strategies of `rutter explore`, with everything else alike; they run with `--free`,
since each has a copy of the data that nobody needs afterwards, and `frontier` once more with `--careful`. An *outcome* was *known* where
the pressed control had been pressed before, on any page, and nothing new came of it; ways to what was tried are among them.

Measured on {date} on {cores} processors ({processor}) with {memory_gib} GiB, which browsers, server and Rutter share, with a release build.
`frontier` was worked on with these two applications at hand; nothing here says how it does on others.
{sites}
`make sites` does this again and writes this page; it can be interrupted and goes on with what is left. It takes
up to {minutes} minutes. `make sites SITES="--seconds 30 --repeats 1 --sites roundup --strategies frontier"` is a short look, and writes no page.
"""


def area(curve, seconds):
    """The mean of a curve of coverage over the first seconds: straight between two looks, level before the first and after the
    last."""
    points = [(point["at_s"], point["covered"] / point["lines"]) for point in curve]
    points = [(0.0, points[0][1]), *points]
    within = [point for point in points if point[0] <= seconds]
    later = next((point for point in points if point[0] > seconds), None)
    last = within[-1]
    if later:
        share = (seconds - last[0]) / (later[0] - last[0])
        within.append((seconds, last[1] + share * (later[1] - last[1])))
    else:
        within.append((seconds, last[1]))
    pairs = zip(within, within[1:])
    return sum((after[0] - before[0]) * (after[1] + before[1]) / 2 for before, after in pairs) / seconds


def at(curve, seconds):
    """Lines that had run by then: those of the last look before it."""
    looks = [point["covered"] for point in curve if point["at_s"] <= seconds]
    return looks[-1] if looks else curve[0]["covered"]


TIMES = [30, 60, 120, 300, 600]


def row(run):
    """A run in figures for machines."""
    strategy, _, mode = run["kind"].partition(" ")
    is_ours = "effort" in run
    effort = run.get("effort", {})
    actions = effort.get("actions", 0)
    return {
        "strategy": run["kind"] if not is_ours else strategy,
        "mode": (mode or "free") if is_ours else None,
        "repeat": run["repeat"],
        "lines_at": {str(seconds): at(run["curve"], seconds) for seconds in TIMES if seconds <= run["seconds"]},
        "states": run.get("states"),
        "actions": run.get("actions"),
        "known_outcome_ratio": effort.get("known_outcomes", 0) / actions if actions else None,
        "forms_sent": effort.get("forms_sent"),
        "forms_accepted": effort.get("forms_accepted"),
    }


def spread(values):
    return {"mean": sum(values) / len(values), "least": min(values), "most": max(values)}


def summary(runs, settings):
    sites = []
    for site in dict.fromkeys(run["site"] for run in runs):
        kinds = []
        of_site = [run for run in runs if run["site"] == site]
        for kind in dict.fromkeys(run["kind"] for run in of_site):
            same = [run for run in of_site if run["kind"] == kind]
            kinds.append({
                "kind": kind,
                "runs": len(same),
                "final": spread([run["final"] for run in same]),
                "area": spread([run["area"] for run in same]),
                "states": spread([run["states"] for run in same]) if "states" in same[0] else None,
                "known": spread([row(run)["known_outcome_ratio"] or 0 for run in same]) if "effort" in same[0] else None,
                "forms": [sum(run["effort"][name] for run in same) for name in ["forms_accepted", "forms_sent"]] if "effort" in same[0] else None,
            })
        total = of_site[0]["curve"][-1]["lines"]
        sites.append({"name": site, "total": total, "kinds": kinds, "rows": [row(run) for run in of_site]})
    return {**settings, "sites": sites}


def page(figures):
    sites = "".join(table(site) for site in figures["sites"])
    kinds = sum(len(site["kinds"]) - 1 for site in figures["sites"])
    minutes = round(kinds * figures["repeats"] * (figures["seconds"] + 12) / 60)
    return PAGE.format(sites=sites, minutes=minutes, **{name: value for name, value in figures.items() if name != "sites"})


def table(site):
    head = ["| | final | mean over time | states | known outcomes | forms accepted |", "|---|---|---|---|---|---|"]
    rows = [f"\n## {site['name']}, {site['total']} lines\n", *head]
    for kind in site["kinds"]:
        states = f"{kind['states']['mean']:.0f}" if kind["states"] else ""
        known = f"{kind['known']['mean']:.0%}" if kind["known"] else ""
        forms = "{} of {}".format(*kind["forms"]) if kind["forms"] else ""
        rows.append(f"| {kind['kind']} | {ranged(kind['final'])} | {ranged(kind['area'])} | {states} | {known} | {forms} |")
    return "\n".join(rows) + "\n"


def ranged(value):
    return f"{value['mean']:.1%} ({value['least']:.1%}–{value['most']:.1%})"
