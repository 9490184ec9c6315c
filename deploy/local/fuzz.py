"""Puts what the targets of `make fuzz` wrote into one file, prints it as a table, and ends with 1 when one of them failed.

    fuzz.py DIRECTORY OUTPUT.json

DIRECTORY holds `NAME.json` of each target that came to its end, and `NAME.latest`, its latest input, of each that did not.
"""

import json
import sys
from pathlib import Path

directory, output = Path(sys.argv[1]), Path(sys.argv[2])
targets = [json.loads(path.read_text()) for path in sorted(directory.glob("*.json"))]
failed = sorted(path.stem for path in directory.glob("*.latest"))
found = {
    "targets": targets,
    "inputs": sum(target["inputs"] for target in targets),
    "panics": sum(target["panics"] for target in targets),
    "failed": failed,
}
output.write_text(json.dumps(found, indent=2) + "\n")
print(f"{'target':18}{'seconds':>9}{'inputs':>12}{'largest input':>15}{'most memory':>13}")
for target in targets:
    sizes = target["largest_input_bytes"], target["most_memory_bytes"]
    print(f"{target['target']:18}{target['seconds']:9.0f}{target['inputs']:12,}" + "".join(f"{size / 1024:9.0f} KiB" for size in sizes))
for name in failed:
    print(f"{name}: did not come to its end; its latest input is {directory / name}.latest")
if not targets:
    print(f"{directory} holds no result")
sys.exit(bool(failed) or not targets)
