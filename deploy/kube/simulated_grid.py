"""A hub of a Selenium Grid without browsers, for tests of scaling: it knows as many nodes as it is told, counts their sessions, and
says afterwards whether a node with a live session was ever taken away. `simulated_grid.py PORT SECRET`.

`GET /status` and `POST /se/grid/distributor/node/ID/drain` are those of the Grid. `PUT /nodes` tells the nodes there are,
`{id: {"host": …, "sessions": …}}`, where sessions that are left out stay as they are; a node that is left out while it held a session is
counted in `GET /counts`. `POST /sessions` with `{"begin": 3, "end": 0.1}` begins as many on nodes that are not drained, as a hub does, and
ends each of those there were with that probability; it answers with the nodes that hold one.
"""

import http.server
import json
import random
import sys
import threading


class Grid:
    def __init__(self, secret):
        self.secret, self.nodes, self.lock = secret, {}, threading.Lock()
        self.chance = random.Random(1)
        self.counts = {"live_sessions_deleted": 0, "drains": 0, "refused": 0}

    def tell(self, wanted):
        with self.lock:
            for name, node in self.nodes.items():
                if name not in wanted:
                    self.counts["live_sessions_deleted"] += node["sessions"]
            self.nodes = {name: {"sessions": 0, "draining": False, **self.nodes.get(name, {}), **node} for name, node in wanted.items()}

    def come_and_go(self, begin, end):
        with self.lock:
            for node in self.nodes.values():
                node["sessions"] *= self.chance.random() >= end
            free = [node for node in self.nodes.values() if not node["draining"] and not node["sessions"]]
            for node in self.chance.sample(free, min(begin, len(free))):
                node["sessions"] = 1
            return [name for name, node in self.nodes.items() if node["sessions"]]

    def drain(self, name, secret):
        with self.lock:
            if secret != self.secret:
                self.counts["refused"] += 1
                return 401
            if name not in self.nodes:
                return 404
            self.counts["drains"] += not self.nodes[name]["draining"]
            self.nodes[name]["draining"] = True
            return 200

    def status(self):
        with self.lock:
            nodes = [
                {
                    "id": name, "uri": f"http://{node['host']}:5555", "maxSessions": 1,
                    "availability": "DRAINING" if node["draining"] else "UP",
                    "slots": [{"session": {"sessionId": name} if node["sessions"] else None}],
                }
                for name, node in self.nodes.items()
            ]
        return {"value": {"ready": True, "message": "simulated", "nodes": nodes}}


def handler(grid):
    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self, code, value):
            text = json.dumps(value).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self):
            if self.path == "/status":
                self.answer(200, grid.status())
            elif self.path == "/counts":
                self.answer(200, grid.counts)
            else:
                self.answer(404, {})

        def do_POST(self):
            parts = self.path.strip("/").split("/")
            if self.path == "/sessions":
                self.answer(200, grid.come_and_go(**json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            elif len(parts) == 6 and parts[5] == "drain":
                self.answer(grid.drain(parts[4], self.headers.get("X-REGISTRATION-SECRET")), {})
            else:
                self.answer(404, {})

        def do_PUT(self):
            grid.tell(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(200, {})

        def log_message(self, *_):
            pass

    return Handler


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), handler(Grid(sys.argv[2]))).serve_forever()
