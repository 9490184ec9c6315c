"""A client of an API server that keeps its connection, for tests that ask it thousands of times: kubectl takes a tenth of a second to
start. It knows paths and JSON, and nothing of kinds."""

import http.client
import json
import ssl


class Api:
    def __init__(self, folder, port, address="127.0.0.1"):
        context = ssl.create_default_context(cafile=str(folder / "pki/ca.crt"))
        context.load_cert_chain(str(folder / "pki/admin.crt"), str(folder / "pki/admin.key"))
        self.connection = http.client.HTTPSConnection(address, port, context=context, timeout=60)

    def ask(self, method, path, value=None):
        body = None if value is None else json.dumps(value)
        self.connection.request(method, path, body, {"Content-Type": "application/json", "Accept": "application/json"})
        answer = self.connection.getresponse()
        read = json.loads(answer.read())
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {read.get('message')}")
        return read

    def pods(self, namespace, selector):
        listed = self.ask("GET", f"/api/v1/namespaces/{namespace}/pods?labelSelector={selector}&resourceVersion=0")["items"]
        return {pod["metadata"]["name"]: pod for pod in listed if "deletionTimestamp" not in pod["metadata"]}

    def make_pod(self, namespace, pod):
        return self.ask("POST", f"/api/v1/namespaces/{namespace}/pods", pod)["metadata"]["name"]

    def make_node(self, node):
        self.ask("POST", "/api/v1/nodes", node)

    def delete_pod(self, namespace, name):
        self.ask("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}")
