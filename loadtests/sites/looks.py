"""Looks at how many lines of a server have run, again and again, while somebody works with it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager


@contextmanager
def looks(application, server, every):
    """The curve of coverage, which grows while the block runs: a look before it, one every so many seconds, and one after it. Seconds
    count from when the block begins."""
    curve, over = [{"at_s": 0.0, **application.look(server)}], threading.Event()
    began = time.monotonic()

    def look():
        is_last = False
        while not is_last:
            is_last = over.wait(every)
            lines = application.look(server)
            curve.append({"at_s": round(time.monotonic() - began, 1), **lines})

    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(look)
        try:
            yield curve
        finally:
            over.set()
            looking.result()
