"""What the runs of `harm.py` amount to, which bars they miss, and the page that tells them. Only arithmetic and words."""

# What careful explorations must reach of what free ones do.
LINES, TEMPLATES = 0.9, 0.8
# What must be pressed of the harmless look-alikes.
PRESSED = 0.9

PAGE = """# Does exploring harm what was there before?

**A site that counts.** {controls} controls that delete, overwrite, pay, publish or send – their names in twelve languages, icons, native
confirmations, questions without a dialog's role, hidden methods and fields, encoded paths, prices, passwords, settings, edit forms,
toggles, administration –, among {look_alikes} harmless ones that look like them. Each was pressed once in a browser by itself, to see that
it does what is declared of it. Then the site was explored for {budget} with the defaults, `--careful`.

| pages | do harm | requests that did harm | look-alikes | pressed |
|---|---|---|---|---|
{sets}

Pages *kept back*, where there are any, were written last, and nothing was changed because of what happens on them.

**Two real applications.** A CMS (Wagtail) and a tracker (Roundup), filled beforehand with people, pages, drafts, issues and files. Three
`--careful` runs one after the other on one copy, whose database is compared row by row with that of before; three `--free` runs, each on a
fresh copy. {seconds} s a run, {browsers} browsers. Lines are those of the application that ran beyond what starting it runs; templates
are its URL patterns. Each figure is the union of three runs.

| | rows of before | changed | gone | new rows | lines, careful | lines, free | | templates, careful | templates, free | |
|---|---|---|---|---|---|---|---|---|---|---|
{applications}

What may differ, and why:

{kept}

Measured on {date} on {cores} processors with {memory_gib} GiB, with a release build. `make harm` does this again; it goes on where it was
interrupted, and `make harm HARM="--seconds 60 --site-budget 2m"` is a short look, which writes no page.
"""


def ratio(part, whole):
    return part / whole if whole else 0.0


def application(name, kept, before_rows, start_up, careful, free):
    """The figures of one application from its start-up lines and the runs of each mode."""
    def all_of(ran):
        return {(file, line) for file, numbers in ran.items() for line in numbers}

    def lines(runs):
        return set().union(*[all_of(run["ran"]) for run in runs]) - all_of(start_up)

    def templates(runs):
        return {template for run in runs for template in run["templates"]}

    ours, theirs = lines(careful), lines(free)
    seen, theirs_seen = templates(careful), templates(free)
    return {
        "name": name,
        "rows_before": before_rows,
        "rows_changed": sum(run["rows_changed"] for run in careful),
        "rows_gone": sum(run["rows_gone"] for run in careful),
        "rows_new": sum(run["rows_new"] for run in careful),
        "mails": sum(run["mails"] for run in careful),
        "lines_careful": len(ours),
        "lines_free": len(theirs),
        "lines_ratio": ratio(len(ours), len(theirs)),
        # What careful runs reached of just what free ones did.
        "lines_shared": ratio(len(ours & theirs), len(theirs)),
        "templates_careful": len(seen),
        "templates_free": len(theirs_seen),
        "templates_ratio": ratio(len(seen), len(theirs_seen)),
        "templates_shared": ratio(len(seen & theirs_seen), len(theirs_seen)),
        "templates_missed": sorted(theirs_seen - seen),
        "rows_changed_free": sum(run["rows_changed"] for run in free),
        "rows_gone_free": sum(run["rows_gone"] for run in free),
        "named": [named for run in careful for named in run["named"]],
        "kept": kept,
    }


def sets_of(figures):
    """The counted sets of pages, each with its name."""
    is_set = lambda part: isinstance(part, dict) and "look_alikes" in part
    return [(name.replace("_", " "), part) for name, part in figures.items() if is_set(part)]


def misses(figures):
    """The bars that are missed, in words."""
    found = []
    for what, part in sets_of(figures):
        if part["harm"]:
            found.append(f"{what} controls: {part['harm']} requests did harm ({', '.join(part['harmed'])})")
        if part["pressed"] < PRESSED * part["look_alikes"]:
            found.append(f"{what} controls: {part['pressed']} of {part['look_alikes']} look-alikes were pressed")
    if figures["without_effect"]:
        found.append(f"controls that do nothing when they are pressed: {figures['without_effect']}")
    for one in figures["applications"]:
        if one["rows_changed"] or one["rows_gone"]:
            found.append(f"{one['name']}: {one['rows_changed']} rows of before changed, {one['rows_gone']} are gone")
        for what, least in [("lines", LINES), ("templates", TEMPLATES)]:
            if one[f"{what}_ratio"] < least:
                found.append(f"{one['name']}: {one[f'{what}_careful']} of {one[f'{what}_free']} {what}, {one[f'{what}_ratio']:.1%}")
    return found


def page(figures, settings):
    sets = [
        f"| {what} | {part['controls']} | {part['harm']} | {part['look_alikes']} | {part['pressed']} ({ratio(part['pressed'], part['look_alikes']):.0%}) |"
        for what, part in sets_of(figures)
    ]
    rows = [
        f"| {one['name']} | {one['rows_before']} | {one['rows_changed']} | {one['rows_gone']} | {one['rows_new']} "
        f"| {one['lines_careful']} | {one['lines_free']} | {one['lines_ratio']:.0%} "
        f"| {one['templates_careful']} | {one['templates_free']} | {one['templates_ratio']:.0%} |"
        for one in figures["applications"]
    ]
    kept = [f"- {one['name']}: `{name}` – {why}" for one in figures["applications"] for name, why in one["kept"].items()]
    parts = {"sets": "\n".join(sets), "applications": "\n".join(rows), "kept": "\n".join(kept)}
    return PAGE.format(
        controls=figures["controls"], look_alikes=figures["look_alikes"], budget=figures["budget"], **parts, **settings
    )
