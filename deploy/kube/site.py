"""A small site for campaigns: a page with a button, and one to log in to at `/log-in`, as `ada` with the password PASSWORD.
`site.py ADDRESS PORT [PASSWORD]`."""

import http.server
import sys
import urllib.parse

PAGE = """<!doctype html><html lang="en"><title>Lamps</title><h1>Lamps</h1>
<button onclick="document.getElementById('said').textContent='In the basket'">Add to basket</button><p id="said"></p></html>"""

FORM = """<!doctype html><html lang="en"><title>Account</title><h1>Account</h1><form method="post"><label>User <input name="user"></label>
<label>Password <input name="password" type="password"></label><button>Log in</button></form></html>"""
PAGES = {"/": PAGE, "/log-in": FORM}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(PAGES.get(self.path))

    def do_POST(self):
        sent = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        is_ada = (sent.get("user"), sent.get("password")) == (["ada"], sys.argv[3:4])
        self.answer("<h1>Welcome, Ada</h1>" if is_ada else "<h1>Wrong name or password</h1>")

    def answer(self, page):
        text = (page or "").encode()
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
