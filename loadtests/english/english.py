"""Sentences in plain English on five real applications, three of them also in another language: which elements `ground` acts on, and
whether tasks are done.

    english.py RUTTER OUTPUT.json --cache .cache [--sites NAME…] [--only pages|tasks] [--keep FOLDER]

The sentences stand in `said/`, with what is right. On recorded pages the steps are compared with them; tasks run on the applications
themselves, whose databases are asked afterwards. What has ended leaves a file in OUTPUT's folder/english/, named after the build and what is
said, and is not done again. Bars that are missed are said, and do not fail the command.
"""

import argparse
import json
import signal
import sys
from pathlib import Path

from apps import SITES
from measured import digest, kept_or_made, machine, say
from runs import live, on_recorded_pages
from said import FILES, Said

HERE = Path(__file__).resolve().parent
# What must be reached: parts of all steps bound right and bound wrong, and of the tasks done.
RIGHT, WRONG, DONE = 0.8, 0.02, 0.6

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rutter", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--cache", type=Path, required=True, help="where the applications, their data and their recorded pages are kept")
parser.add_argument("--sites", nargs="*", choices=SITES, default=list(SITES))
parser.add_argument("--only", choices=["pages", "tasks"], help="leaves the other half out")
parser.add_argument("--keep", type=Path, help="keeps run directories and servers' folders there")
options = parser.parse_args()
cache, parts = options.cache.absolute(), options.output.parent / "english"


def pages_of(name, label):
    say(f"{name}: {len(said.sentences[name])} sentences on recorded pages")
    scores = kept_or_made(parts, f"{name}-pages-{label}", lambda: on_recorded_pages(options.rutter, name, said, cache, options.keep))
    for one in scores:
        state = "claimed wrongly" if one["false_done"] else "wrong element" if one["wrong"] else ""
        say(f"  {one['right']}/{one['steps']}  {one['say']}  {state}")
    return scores


def tasks_of(name, label):
    done = []
    for task in [task for task in said.tasks if task["site"] == name]:
        one = kept_or_made(parts, f"{task['id']}-{label}", lambda: live(options.rutter, task, cache, options.keep))
        say(f"  {'done' if one['done'] else 'not done'}  {one['say']}{'  changed something else' if one['changed_else'] else ''}")
        done.append(one)
    return done


def totals(sentences, tasks):
    return {
        "steps": sum(one["steps"] for one in sentences),
        "right": sum(one["right"] for one in sentences),
        "wrong_element": sum(len(one["wrong"]) for one in sentences),
        "false_done": sum(one["false_done"] for one in sentences),
        "tasks": len(tasks),
        "done": sum(one["done"] for one in tasks),
        "changed_else": sum(bool(one["changed_else"]) for one in tasks),
    }


def table(figures):
    heads = ["site", "sentences", "steps", "right", "wrong_element", "false_done", "tasks", "done", "changed_else"]
    lines = [heads, *[[str(row[head]) for head in heads] for row in figures["sites"]]]
    lines.append(["all", str(len(figures["sentences"])), *[str(figures[head]) for head in heads[2:]]])
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines)


def missed(figures):
    """The bars that are missed, in words."""
    found = []
    if figures["right"] < RIGHT * figures["steps"]:
        found.append(f"{figures['right']} of {figures['steps']} steps are right, {RIGHT:.0%} are wanted")
    if figures["wrong_element"] > WRONG * figures["steps"]:
        found.append(f"{figures['wrong_element']} wrong elements, at most {WRONG:.0%} of {figures['steps']} steps may be")
    if figures["false_done"]:
        found.append(f"{figures['false_done']} sentences were claimed to be done and were not")
    if figures["done"] < DONE * figures["tasks"]:
        found.append(f"{figures['done']} of {figures['tasks']} tasks are done, {DONE:.0%} are wanted")
    if figures["changed_else"]:
        found.append(f"{figures['changed_else']} tasks changed something else")
    return found


# Whoever ends this ends the servers too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
said, label = Said(), digest(options.rutter, *FILES, *sorted(HERE.glob("*.py")))
parts.mkdir(parents=True, exist_ok=True)
(cache / "english-pages").mkdir(exist_ok=True)
all_sentences, all_tasks, by_site = [], [], []
for name in options.sites:
    sentences = pages_of(name, label) if options.only != "tasks" else []
    tasks = tasks_of(name, label) if options.only != "pages" else []
    all_sentences, all_tasks = all_sentences + sentences, all_tasks + tasks
    by_site.append({"site": name, "sentences": len(sentences), **totals(sentences, tasks)})
figures = {
    **totals(all_sentences, all_tasks),
    "looked": sum(one["looked"] for one in all_sentences),
    "tasks_claimed_wrongly": sum(one["claims"] and not one["done"] for one in all_tasks),
    "sites": by_site,
    "sentences": all_sentences,
    "live": all_tasks,
    **machine(),
}
figures["missed"] = missed(figures)
options.output.write_text(json.dumps(figures, indent=1, ensure_ascii=False, default=sorted) + "\n")
print(table(figures))
for line in figures["missed"]:
    print(f"missed: {line}")
print(f"written to {options.output}")
