"""A campaign with stages on real servers and processes, with each role killed (SIGKILL) in each stage: twenty jobs, the ten of them
that do not pass once more, then a study of all.

    stages.py RUTTER CLUSTER_DIRECTORY OUTPUT.json

One campaign for each role and stage: the role is killed while the campaign is in that stage, stays away for two seconds, and is
started again. It holds when the jobs are the twenty, the ten tried again under their names and one study, each with one verdict,
and queue, ledger and the outcomes themselves agree. A kill that came when the stage was over already is done again, in another
campaign, three times at most. The cluster is started in CLUSTER_DIRECTORY, which must not exist, and removed with it in the end.
"""

import argparse
import http.server
import json
import sys
import threading
import time
from pathlib import Path

from cluster import Cluster

ROLES = ["rutter-campaigns", "rutter-aggregator", "rutter-planner", "rutter-crawler"]
OTHERS = ["rutter-graph"]
JOBS, STAGES, PATIENCE_S, AWAY_S, TRIES = 20, 3, 300, 2, 3

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rutter")
parser.add_argument("directory", type=Path)
parser.add_argument("output", type=Path)
options = parser.parse_args()


class Site(http.server.BaseHTTPRequestHandler):
    """A page whose button does what it says at every second address."""

    def do_GET(self):
        says = "Saved." if self.path.endswith(("1", "3", "5", "7", "9")) else "It cannot be saved."
        page = f"<title>Notes</title><h1>Notes</h1><button onclick=\"document.body.append('{says}')\">Save</button>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_):
        pass


def tasks(file, port):
    check = {"text": {"contains": "Saved."}}
    each = [{"id": f"note-{number:02}", "start_url": f"http://127.0.0.1:{port}/notes/{number}", "instruction": "Click Save.",
             "check": check} for number in range(JOBS)]
    file.write_text(json.dumps({"tasks": each}))


def try_one(cluster, campaign, file, role, stage):
    """One campaign; whether the role was killed while it was in the stage."""
    cluster.asks("submit", file, "--campaign", campaign, "--again", "1")

    def is_in_stage():
        status = cluster.status(campaign)
        tally = status["tally"]
        return status.get("stage", 0) >= stage and (tally["running"] > 0 or stage == STAGES or tally["waiting"] > 0)

    cluster.until(f"stage {stage} of {campaign} begins", is_in_stage, 0.05)
    status = cluster.status(campaign)
    cluster.servers("kill", role)
    met = status.get("stage", 0) == stage and status["tally"]["waiting"] + status["tally"]["running"] > 0
    time.sleep(AWAY_S)
    cluster.servers("start", role)
    verdicts = cluster.results(campaign)
    handed_in = {f"note-{number:02}" for number in range(JOBS)}
    again = {f"note-{number:02}~again" for number in range(0, JOBS, 2)}
    cluster.holds(f"{campaign}: {len(verdicts)} jobs", set(verdicts) == handed_in | again | {"~steadiness"})
    return met


def main(cluster, file):
    for role in [*OTHERS, *ROLES]:
        cluster.servers("up", role)
    rows = []
    for stage in range(1, STAGES + 1):
        for role in ROLES:
            met = False
            for attempt in range(TRIES):
                met = try_one(cluster, f"{role}-{stage}-{attempt}", file, role, stage)
                if met:
                    break
            rows.append({"stage": stage, "role": role, "met": met})
            print(f"stage {stage}, {role}: {'met' if met else 'met nothing'}", file=sys.stderr, flush=True)
            # What is quick may be over before the blow falls; what is exact must be exact all the same.
    return {"jobs": JOBS, "again": JOBS // 2, "kills": rows, "failures": cluster.failures}


site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=site.serve_forever, daemon=True).start()
file = options.output.parent / "stages.yaml"
file.parent.mkdir(parents=True, exist_ok=True)
tasks(file, site.server_address[1])
with Cluster(options.directory, {"rutter": options.rutter}, PATIENCE_S) as cluster:
    figures = main(cluster, file)
options.output.write_text(json.dumps(figures, indent=2) + "\n")
met = sum(row["met"] for row in figures["kills"])
print(f"{met} of {len(figures['kills'])} kills met their stage, {len(figures['failures'])} failures")
raise SystemExit(1 if figures["failures"] else 0)
