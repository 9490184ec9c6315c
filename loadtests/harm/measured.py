"""What a measurement of several parts keeps, so that it goes on where it was interrupted; also for `loadtests/english`."""

import hashlib
import json
import os
import sys
import time


def say(text):
    print(text, file=sys.stderr, flush=True)


def digest(*files):
    known = hashlib.blake2b(digest_size=6)
    for file in files:
        known.update(file.read_bytes())
    return known.hexdigest()


def kept_or_made(folder, name, make):
    """What a part left in the folder, or what doing it gives."""
    file = folder / f"{name}.json"
    if file.exists():
        say(f"{file.name}: measured before")
        return json.loads(file.read_text())
    made = make()
    unfinished = file.with_suffix(".part")
    unfinished.write_text(json.dumps(made, default=sorted) + "\n")
    unfinished.rename(file)
    return made


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "memory_gib": round(memory / 2**30)}
