#!/usr/bin/env python3
"""What a model reaches with every planner on a few tasks of MiniWoB++, in a table with intervals.

    bench.py --rutter target/release/rutter --model large --model-url http://127.0.0.1:8080/v1

Each planner does every task once on an unseen seed, with the benchmark's own time limits lifted, at most five steps and a minute an
episode. A part is one planner with one preset; its run is kept under --parts, so that the same command again does only what is
missing. The table goes to stdout, the figures to --json: rows with episodes, successes, tokens, seconds and the share of unusable
replies. Nothing is ranked: --compare prints `rutter compare` of all parts with the first one.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys

TASKS = [
    "click-tab",
    "click-dialog-2",
    "focus-text-2",
    "enter-text-2",
    "enter-password",
    "login-user",
    "read-table",
    "choose-date",
]
PLANNERS = [
    "hxagent",
    "naviqate",
    "step-by-step",
    "tree-search",
    "full-plan",
    "zero-shot",
    "reflection",
    "rci",
    "adaplanner",
    "synapse",
]
# Several candidates a step and a few steps back would take a small model's minute ten times over.
SMALL = {"tree-search": ["branches=2"]}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rutter", required=True, type=pathlib.Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--model-url")
    parser.add_argument("--model-provider", default="openai")
    parser.add_argument("--planner", action="append", help="only this one; may be repeated")
    parser.add_argument("--preset", action="append", help="`ours` by default; may be repeated")
    parser.add_argument("--task", action="append", help="instead of the eight; may be repeated")
    parser.add_argument("--root", type=int, default=20261126, help="what the unseen seeds are drawn by")
    parser.add_argument("--max-steps", type=int, default=5)
    parser.add_argument("--max-seconds", type=int, default=60)
    parser.add_argument("--parts", type=pathlib.Path, default=pathlib.Path("runs/models"))
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("target/results/models.json"))
    parser.add_argument("--compare", action="store_true")
    return parser.parse_args()


def part(args, planner, preset):
    """The results of a part: read, gone on with, or run."""
    asked = [args.task or TASKS, args.root, args.max_steps, args.max_seconds, args.model_url, SMALL.get(planner)]
    digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:8]
    folder = args.parts / f"{args.model}-{planner}-{preset}-{digest}".replace("/", "-")
    results = folder / "results.json"
    if results.exists() and json.loads(results.read_text())["pending"] == 0:
        return folder, json.loads(results.read_text())
    command = [str(args.rutter), "bench", "miniwob"]
    if (folder / "run.json").exists():
        command += ["--resume", str(folder)]
    else:
        for task in args.task or TASKS:
            command += ["--task", task]
        command += ["--seeds", f"fresh:1@{args.root}", "--relaxed", "--run-dir", str(folder), "--planner", planner]
        command += ["--max-steps", str(args.max_steps), "--max-seconds", str(args.max_seconds)]
        command += ["--model", args.model, "--model-provider", args.model_provider, "--set", f"preset={preset}"]
        command += ["--model-url", args.model_url] if args.model_url else []
        for option in SMALL.get(planner, []):
            command += ["--set", option]
    print(f"{planner} ({preset})", file=sys.stderr)
    done = subprocess.run(command + ["--output", "json"], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1, 4) or not results.exists():
        sys.exit(f"{planner} ({preset}) ended with {done.returncode}: run the same command again to go on")
    return folder, json.loads(results.read_text())


def row(planner, preset, results):
    steps = sum(outcome["steps"] for outcome in results["outcomes"])
    invalid = results["invalid_steps"]
    return {
        "planner": planner,
        "preset": preset,
        "suite": f"miniwob, {len(results['tasks'])} tasks, {results['seeds']}",
        "model": results["model"],
        "episodes": results["episodes"],
        "successes": results["successes"],
        "interval": results["interval"],
        "prompt_tokens": results["prompt_tokens"],
        "completion_tokens": results["completion_tokens"],
        "seconds": round(results["wall_s"], 1),
        "model_s": round(results["model_s"], 1),
        "invalid_step_ratio": round(invalid / max(steps + invalid, 1), 4),
        # An episode that the endpoint ended says nothing about the model.
        "not_judged": sum(outcome["verdict"] in ("THROTTLED", "INVALID_ENVIRONMENT") for outcome in results["outcomes"]),
    }


def main():
    args = arguments()
    folders, rows = [], []
    for preset in args.preset or ["ours"]:
        for planner in args.planner or PLANNERS:
            folder, results = part(args, planner, preset)
            folders.append(str(folder))
            rows.append(row(planner, preset, results))
            args.json.parent.mkdir(parents=True, exist_ok=True)
            args.json.write_text(json.dumps({"rows": rows}, indent=2) + "\n")
    print(f"{'planner':<14} {'preset':<10} {'passed':>7}  {'95 %':<15} {'tokens':>15} {'model s':>8} {'unusable':>9}")
    for entry in rows:
        low, high = (round(100 * end) for end in entry["interval"])
        passed = f"{entry['successes']}/{entry['episodes']}"
        tokens = f"{entry['prompt_tokens']}+{entry['completion_tokens']}"
        print(
            f"{entry['planner']:<14} {entry['preset']:<10} {passed:>7}  {f'{low} … {high}':<15} {tokens:>15} "
            f"{entry['model_s']:>8} {100 * entry['invalid_step_ratio']:>8.1f}%"
        )
    if args.compare and len(folders) > 1:
        sys.stdout.flush()
        subprocess.run([str(args.rutter), "compare", *folders], check=True)


if __name__ == "__main__":
    main()
