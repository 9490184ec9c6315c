"""Schedules of every minute on a real API server: concurrency policies, suspension, catching up, what is missed, and history."""

import datetime
import json
import time

from bench import DONE, NAMESPACE


def schedule(name, inline, changes):
    spec = {"cron": "* * * * *", "catchUpSeconds": 0, "template": {"spec": {"tasks": {"inline": inline}, "labels": DONE}}}
    paused = changes.pop("paused", False)
    spec.update(changes)
    if paused:
        spec["template"] = {"spec": {**spec["template"]["spec"], "wish": "Pause"}}
    return {"apiVersion": "rutter.dev/v1alpha1", "kind": "Schedule", "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}


def told(bench, name):
    return (bench.get("schedule", name) or {}).get("status") or {}


def outcomes(bench, name):
    """What became of the times, the oldest first."""
    return [run["outcome"] for run in reversed(told(bench, name).get("runs", []))]


def made(bench, name):
    listed = bench.kubectl("get", "campaigns", "--namespace", NAMESPACE, "--selector", f"rutter.dev/schedule={name}", "--output", "json")
    campaigns = json.loads(listed.stdout)["items"]
    return {one["metadata"]["name"]: (one.get("status") or {}).get("phase") for one in campaigns}


def until_second(second):
    """Waits until this second of a minute, with time left until the next one."""
    while not second <= datetime.datetime.now().second < second + 20:
        time.sleep(0.2)


def check(bench, inline, kubeconfig):
    until_second(30)
    for name, changes in {
        "forbid": {"history": {"succeeded": 1, "failed": 1}}, "suspended": {"suspend": True},
        "replace": {"concurrencyPolicy": "Replace", "paused": True}, "allow": {"concurrencyPolicy": "Allow", "paused": True},
        "late": {"catchUpSeconds": 120, "suspend": True},
    }.items():
        bench.create(schedule(name, inline, changes))
    bench.wait("a schedule tells its next time", lambda: told(bench, "forbid").get("message", "").startswith("next at "), 15)

    # The first minute: one campaign each, and none where it is suspended.
    bench.wait("a campaign is made at its minute", lambda: outcomes(bench, "forbid") == ["Started"], 45)
    bench.wait("and succeeds", lambda: list(made(bench, "forbid").values()) == ["Succeeded"], 30)
    bench.check("a suspended schedule tells what it missed", outcomes(bench, "suspended") == ["Missed"], told(bench, "suspended"))
    # The campaign of the second minute stays unfinished until the third has passed.
    bench.patch("schedule", "forbid", {"spec": {"template": {"spec": {"wish": "Pause"}}}})

    bench.wait("the second minute comes", lambda: outcomes(bench, "forbid") == ["Started", "Started"], 70)
    bench.wait("`Replace` cancels the earlier campaign", lambda: sorted(filter(None, made(bench, "replace").values())) == ["Cancelled", "Paused"], 20)
    bench.wait("`Allow` has both side by side", lambda: list(made(bench, "allow").values()) == ["Paused", "Paused"], 20)

    bench.wait("in the third minute `Forbid` skips", lambda: outcomes(bench, "forbid") == ["Started", "Started", "Skipped"], 70)
    reason = told(bench, "forbid")["runs"][0]["reason"]
    paused = [name for name, phase in made(bench, "forbid").items() if phase == "Paused"]
    bench.check("and names what still runs", reason == f"previous still running: {paused[0]}", reason)
    bench.patch("schedule", "forbid", {"spec": {"template": {"spec": {"wish": "Run"}}}})
    bench.patch("campaign", paused[0], {"spec": {"wish": "Run"}})
    bench.wait("which then goes on and succeeds", lambda: made(bench, "forbid").get(paused[0]) in ("Succeeded", None), 30)
    for name in ("replace", "allow"):
        bench.patch("schedule", name, {"spec": {"suspend": True}})
    bench.patch("schedule", "late", {"spec": {"suspend": False}})
    time.sleep(2)

    # Nobody is there in the fourth minute, until fifteen seconds after it.
    bench.kill("operator")
    before = len(outcomes(bench, "forbid"))
    while datetime.datetime.now().second < 55:
        time.sleep(0.2)
    until_second(15)
    bench.start_operator(kubeconfig=kubeconfig)
    bench.wait("a minute without an operator is missed", lambda: outcomes(bench, "forbid")[before:before + 1] == ["Missed"], 40)
    reason = told(bench, "forbid")["runs"][0]["reason"]
    bench.check("and says why", "nobody was there to make it" in reason, reason)
    bench.wait("unless it may be caught up with", lambda: told(bench, "late")["runs"][0]["outcome"] == "Started", 20)
    reason = told(bench, "late")["runs"][0]["reason"]
    bench.check("which is said, too", reason.startswith("made ") and reason.endswith(" s late"), reason)

    bench.wait("then it goes on", lambda: outcomes(bench, "forbid")[-1] == "Started", 70)
    bench.wait("the history keeps as many as declared", lambda: list(made(bench, "forbid").values()) == ["Succeeded"], 40)
    counts = told(bench, "forbid")["counts"]
    bench.check("all times are counted", (counts["started"], counts["skipped"], counts["missed"]) == (3, 1, 1), counts)
    events = {event["reason"] for event in bench.get("events")["items"] if event["involvedObject"]["name"] == "forbid"}
    bench.check("events tell of each", {"Started", "Skipped", "Missed"} <= events, events)
    print(bench.kubectl("get", "schedules", "--namespace", NAMESPACE).stdout, end="", flush=True)
    for name in ("forbid", "late"):
        bench.patch("schedule", name, {"spec": {"suspend": True}})
    bench.kubectl("delete", "schedule", "allow", "replace", "suspended", "--namespace", NAMESPACE, "--timeout=20s")
    bench.wait("campaigns go with their schedule", lambda: not made(bench, "allow"), 40)
    bench.kubectl("delete", "schedule", "forbid", "late", "--namespace", NAMESPACE, "--timeout=20s")
    bench.say("schedules: three runs, one skipped, one missed, one caught up with, Replace, Allow, suspension, history")
