"""The pages of MiniWoB++ as a site of its own: `miniwob.py ADDRESS PORT`. A page that is asked for with `?seed=N` begins the episode
of that seed as soon as it is loaded, as the benchmark's driver does it, and without a limit of time."""

import functools
import http.server
import pathlib
import sys
import urllib.parse

from control_plane import ROOT

PAGES = ROOT / ".cache/miniwob/html"
START = (ROOT / "services/benchmarks/src/miniwob/start.js").read_text().split("\n", 1)[1].strip()
LIMIT_MS = 3_600_000
# What a page says when it is over, as the benchmark's driver judges it.
JUDGEMENT = "WOB_DONE_GLOBAL ? `raw reward ${WOB_RAW_REWARD_GLOBAL}` : 'the episode is not over'"


def tasks(site, instructions):
    """A task file, from what pages say is to be done: `{"TASK/SEED": instruction}`."""
    lines = ["tasks:"]
    for job, words in instructions.items():
        task, seed = job.rsplit("/", 1)
        lines.append(f"  - id: {job}")
        lines.append(f"    start_url: {site}/miniwob/{task}.html?seed={seed}")
        lines.append("    instruction: " + quoted(words))
        lines.append("    check: {page_state: {expression: " + quoted(JUDGEMENT) + ", equals: raw reward 1}}")
    return "\n".join(lines) + "\n"


def quoted(words):
    return "'" + words.replace("'", "''") + "'"


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        asked = urllib.parse.urlsplit(self.path)
        seed = urllib.parse.parse_qs(asked.query).get("seed")
        page = pathlib.Path(self.translate_path(asked.path))
        if seed is None or not page.is_file():
            super().do_GET()
            return
        begin = f"<script>addEventListener('load', () => ({START})({int(seed[0])}, 'train', {LIMIT_MS}))</script>"
        text = page.read_text(errors="replace").replace("</html>", f"{begin}</html>").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    handler = functools.partial(Handler, directory=str(PAGES))
    http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), handler).serve_forever()
