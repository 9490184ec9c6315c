"""A small site for campaigns: one page with a field and a button, which says what was sent. `site.py PORT`."""

import http.server
import sys

PAGE = """<!doctype html><html lang="en"><title>Lamps</title><h1>Lamps</h1>
<button onclick="document.getElementById('said').textContent='In the basket'">Add to basket</button><p id="said"></p></html>"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = PAGE.encode() if self.path == "/" else b""
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
