"""Runs Rutter on sentences: on recorded pages, and as tasks on the running applications, whose data is compared with that of before."""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import yaml

from apps import PASSWORD, SITES, sites
from copies import Copies, same
from record import recorded
from rows import rows
from said import bound
from score import Site, score


@contextmanager
def a_folder(name, keep):
    """A folder that is removed afterwards, or stays in `keep`."""
    if keep:
        folder = keep / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        yield folder
        return
    folder = Path(tempfile.mkdtemp(prefix=f"rutter-english-{name}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def asked(rutter, folder, site, url, wanted, recipe=None):
    """What Rutter did about each of these sentences, by its id."""
    settings = {"locale": site.language}
    if recipe:
        settings["login"] = yaml.safe_load(recipe.read_text())
    tasks = [{"id": one["id"], "site": "site", "start_url": url + one["path"], "instruction": one["say"]} for one in wanted]
    file = folder / "tasks.yaml"
    file.write_text(yaml.safe_dump({"sites": {"site": settings}, "tasks": tasks}, allow_unicode=True))
    words = [rutter.resolve(), "run", file, "--run-dir", folder / "run", "--output", "json", "--screenshots", "none"]
    with open(folder / "run.log", "wb") as log:
        done = subprocess.run([str(word) for word in words], env={**os.environ, "SITES_PASSWORD": PASSWORD}, stdout=log, stderr=log)
    made = folder / "run" / "trajectories.jsonl"
    if not made.exists():
        said = (folder / "run.log").read_text(errors="replace")[-3000:]
        raise SystemExit(f"{site.site()}: rutter ended with {done.returncode} and left nothing; it said:\n{said}")
    return {read["task"]: read for read in map(json.loads, made.read_text().splitlines())}


def on_recorded_pages(rutter, name, said, cache, keep):
    """The scores of a site's sentences, each on the pages as they were recorded."""
    site = SITES[name](cache)
    folder = recorded(site, said.pages[name], cache / "english-pages", sites.free_port())
    pages = {same(path): file for path, file in json.loads((folder / "pages.json").read_text()).items()}
    elements = json.loads((folder / "elements.json").read_text())
    known, wanted = Site(pages, elements), said.sentences[name]
    labels = {one["id"]: bound(one, pages, elements) for one in wanted}
    with Copies(folder) as copies, a_folder(f"{name}-pages", keep) as place:
        made = asked(rutter, place, site, copies.url, wanted)
    return [{"id": one["id"], "say": one["say"], "page": one["path"], **score(labels[one["id"]], made[one["id"]], known)} for one in wanted]


def differences(before, after, site):
    """How many rows are new and gone by table, and changed by column."""
    found, leaves_out = Counter(), site.kept.leaves_out
    for table in before.keys() | after.keys():
        keys, old = before.get(table, ([], []))
        _, new = after.get(table, (keys, []))
        keys = site.known_by.get(table, keys)

        def by_key(of_table):
            key = lambda row: tuple(row[name] for name in keys) if keys else tuple(row.values())
            return {key(row): row for row in of_table}

        old, new = by_key(old), by_key(new)
        found[f"new {table}"] += len(new.keys() - old.keys())
        found[f"gone {table}"] += len(old.keys() - new.keys())
        for key in old.keys() & new.keys():
            changed = [column for column in old[key] if old[key][column] != new[key].get(column) and not leaves_out(f"{table}.{column}")]
            found.update(f"changed {table}.{column}" for column in changed)
    return +found


def holds(database, question):
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        answer = connection.execute(question).fetchone()
    finally:
        connection.close()
    return bool(answer and answer[0])


def live(rutter, task, cache, keep):
    """One task on a fresh copy of an application: whether its data says that it was done, and what else differs."""
    site = SITES[task["site"]](cache)
    with a_folder(task["id"], keep) as place:
        server = site.start(place / "server")
        try:
            database = place / "server" / site.database
            before = rows(database, site.kept)
            if holds(database, task["done"]):
                raise SystemExit(f"{task['id']}: it holds before anything is done")
            made = asked(rutter, place, site, f"http://127.0.0.1:{server.port}", [task], site.recipe())[task["id"]]
            is_done, differ = holds(database, task["done"]), differences(before, rows(database, site.kept), site)
        finally:
            server.stop()
    beyond = {what: count - task["touches"].get(what, 0) for what, count in differ.items() if count > task["touches"].get(what, 0)}
    claim = made["ending"].get("claim", {})
    return {
        "id": task["id"],
        "say": task["say"],
        "page": task["path"],
        "done": is_done,
        "claims": claim.get("is") == "done",
        # A task that was not done, and left something behind, changed something else too.
        "changed_else": beyond if is_done else dict(differ),
        "steps": len(made["steps"]),
        "ended": claim.get("reason") or claim.get("is") or made["ending"]["because"],
    }
