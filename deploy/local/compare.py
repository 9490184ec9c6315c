"""Compares the verdicts of two runs of the same jobs, job by job; ends with 1 when any differs or is missing.

    compare.py EMBEDDED_TRAJECTORIES.jsonl CLUSTER_RESULTS.json OUTPUT.json
"""

import json
import sys

embedded_file, cluster_file, output = sys.argv[1:]
with open(embedded_file) as lines:
    embedded = {one["job"]: one["verdict"]["kind"] for one in map(json.loads, lines)}
with open(cluster_file) as file:
    results = json.load(file)
cluster = {one["job"]: one["verdict"] for one in results["outcomes"]}

jobs = [
    {"job": job, "embedded": embedded.get(job), "cluster": cluster.get(job)} for job in sorted(embedded | cluster)
]
width = max((len(job["job"]) for job in jobs), default=3)
print(f"{'job':{width}}  {'embedded':20}  cluster")
for job in jobs:
    same = "" if job["embedded"] == job["cluster"] else "   <- differs"
    print(f"{job['job']:{width}}  {job['embedded'] or '-':20}  {job['cluster'] or '-'}{same}")
different = [job for job in jobs if job["embedded"] != job["cluster"]]
totals = results["totals"]
print(
    f"{len(jobs)} jobs, {len(different)} verdicts differ; {totals['lost_attempts']} attempts lost, "
    f"{totals['redeliveries']} records came again"
)
with open(output, "w") as file:
    json.dump({"jobs": jobs}, file, indent=2)
    file.write("\n")
sys.exit(bool(different) or not jobs)
