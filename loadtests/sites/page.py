"""The page for people that tells what `results.py` worked out. Only words."""

from results import TIMES, WANTED, label

PAGE = """# Real applications, by `rutter explore` and by others

How many lines of an application's server run while somebody explores it: {browsers} browsers, one log-in, every run on a server of its
own with a fresh copy of the same data, one run of each. Seconds count from when whoever explores is started. Coverage is looked at every
{every} seconds, and a figure is that of the last look before the time. In brackets stand the lines beyond *start-up*, which are those
that run when the server starts and nobody comes.

- `frontier`, and the other strategies of `rutter explore`: with everything else alike. They run with `--free`, since each has a copy of
  the data that nobody needs afterwards, and `frontier` once more with `--careful`.
- *plain crawl*: an HTTP client that logs in and follows links, as many at a time as there are browsers.
- *Crawljax*: version 5.2.3, with the same browser program. Each of its browsers logs in first, and again wherever the start page asks for
  it. It clicks nothing that logs out, and can reach nothing but the application. Prefixes of attributes such as `xlink:href` are declared in
  the pages, since it takes a page without that as empty. *defaults* sets nothing else: it clicks links, buttons and submit controls, fills
  no fields, and has no limit of states and none of depth (its documentation says 2, its code has none). *depth* is set up for such
  applications: states more than three clicks from the start are not gone on from, so that it does not lose itself along one way; fields
  get random values; and pages that differ in the values of fields only are one state, since forms carry keys for one use, by which no
  page with a form would ever be seen again. Its actions are the events that took effect, those on ways back included.

Measured on {date} on {cores} processors ({processor}) with {memory_gib} GiB, which browsers, server and explorer share, with a release build.
`frontier` was worked on with ihatemoney and roundup at hand. Whoever has nothing left to do ends early, and keeps the lines that it has.

{claims}{sites}
`make sites` does this again and writes this page; it can be interrupted and goes on with what is left. It takes up to {minutes} minutes.
`make sites SITES="--seconds 60 --short-seconds 30 --sites roundup --kinds frontier-free crawljax-depth"` is a short look, and writes no page.
"""


def page(figures):
    known = {name: figures[name] for name in ["browsers", "every", "date", "cores", "processor", "memory_gib"]}
    seconds = sum(row["seconds"] + 15 for site in figures["sites"] for row in site["rows"])
    return PAGE.format(
        claims=claims(figures["claims"]), sites="".join(section(site) for site in figures["sites"]), minutes=round(seconds / 60), **known
    )


def claims(found):
    claimed = {
        "first": "`frontier --free` has the most lines at each of these times on each application",
        "over_crawljax": f"In the end it has at least {WANTED} times the lines of the better Crawljax on each",
    }
    return "".join(f"- {what}: {answer(**found[name])}\n" for name, what in claimed.items())


def answer(compared, missed):
    holds = compared - len(missed)
    return f"**{'no' if missed else 'yes'}**, in {holds} of {compared} comparisons." + "".join(f" {miss}." for miss in missed)


def section(site):
    head = [f"\n## {site['name']}", f"\n{site['about']} {site['total']} lines; {site['start_up']} of them are start-up.\n"]
    return "\n".join([*head, *lines_table(site), "", *[sentence(site)], "", *effort_table(site)]) + "\n"


def named(seconds):
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min"


def lines_table(site):
    def cell(lines):
        if lines is None:
            return ""
        return f"{lines} ({lines - site['start_up']})" if site["start_up"] is not None else str(lines)

    yield f"| | {' | '.join(map(named, TIMES))} | states | actions |"
    yield "|---" * (len(TIMES) + 3) + "|"
    for row in site["rows"]:
        cells = [cell(row["lines_at"][str(time)]) for time in TIMES]
        counts = ["" if row[name] is None else str(row[name]) for name in ["states", "actions"]]
        yield f"| {' | '.join([label(row), *cells, *counts])} |"


def sentence(site):
    """Who was first at each time, how far before Crawljax `frontier --free` was, and who ended early."""
    said = []
    leads = [(named(int(time)), lead) for time, lead in site["lead"].items() if lead]
    if leads:
        said.append("The most lines: " + ", ".join(f"at {time} {first(lead)}" for time, lead in leads) + ".")
    if over := site["over_crawljax"]:
        beyond = over["ratio_beyond_start_up"]
        beyond = f", {beyond:.2f} times beyond start-up" if beyond is not None else ""
        said.append(
            f"At {named(over['seconds'])} `frontier --free` has {over['ratio']:.2f} times the lines of the better Crawljax "
            f"({over['mode']}){beyond}."
        )
    early = [f"after {row['ended_early_s']:.0f} s for {label(row)}" for row in site["rows"] if row["ended_early_s"] is not None]
    if early:
        said.append(f"Nothing was left to do {', '.join(early)}.")
    return " ".join(said)


def first(lead):
    other = lead["best_other"]
    if lead["lines"] == other["lines"]:
        return f"`frontier --free` and {label(other)}"
    return "`frontier --free`" if lead["lines"] > other["lines"] else label(other)


def effort_table(site):
    """What came of the actions of `rutter explore`: an outcome was known where the pressed control had been pressed before."""
    rows = [row for row in site["rows"] if row["known_outcome_ratio"] is not None]
    if rows:
        yield "| | known outcomes | forms sent | accepted |"
        yield "|---|---|---|---|"
    for row in rows:
        yield f"| {label(row)} | {row['known_outcome_ratio']:.0%} | {row['forms_sent']} | {row['forms_accepted']} |"
