"""Serves recorded pages on loopback. What is sent is written down and changes nothing."""

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEAD = b"<head><meta charset=utf-8><title>Not recorded</title><link rel=icon href='data:,'></head>"
NOTHING = b"<!doctype html><html lang=en>" + HEAD + b"<body><p>%s</p></body></html>"


def same(path):
    """An address's path and question in one spelling, however it is escaped."""
    return urllib.parse.unquote(path.partition("#")[0])


class Copies:
    """A server of one folder of pages; a context manager."""

    def __init__(self, folder):
        self.pages = {same(path): file for path, file in json.loads((folder / "pages.json").read_text()).items()}
        self.assets = json.loads((folder / "assets.json").read_text())
        self.folder, self.requests = folder, []
        copies = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                copies.answer(self, "")

            def do_POST(self):
                copies.answer(self, self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace"))

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def answer(self, handler, body):
        if handler.path in self.assets and handler.command == "GET":
            stored, kind = self.assets[handler.path]
            return self.send(handler, (self.folder / stored).read_bytes(), kind)
        self.requests.append({"method": handler.command, "path": handler.path, "body": body})
        file = self.pages.get(same(handler.path)) if handler.command == "GET" else None
        if file:
            return self.send(handler, (self.folder / file).read_bytes(), "text/html; charset=utf-8")
        said = b"Only a copy: nothing was changed." if handler.command == "POST" else b"This page was not recorded."
        return self.send(handler, NOTHING % said, "text/html; charset=utf-8")

    def send(self, handler, content, kind):
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
