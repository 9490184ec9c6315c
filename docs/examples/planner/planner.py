"""A planner of your own, in Python: clicks the button whose name stands in quotes in the task.

    python3 -m venv venv && venv/bin/pip install -r docs/examples/planner/requirements.txt
    venv/bin/python docs/examples/planner/planner.py 127.0.0.1:7071
    rutter run --site URL --task 'Click on the "Buy" button.' --planner remote --set address=http://127.0.0.1:7071

The whole interface is `proto/v1/planner.proto`: one call, `Decide`, which brings everything that there is to know. A planner
keeps nothing between two calls; what it wants to remember goes into the decision's `memory` and comes back with the next call.
"""

import importlib
import re
import sys
import tempfile
from concurrent import futures
from pathlib import Path

import grpc
from grpc_tools import protoc

PROTO = Path(__file__).resolve().parents[3] / "proto"


def compiled():
    """The modules of messages and of the service, made from the .proto files."""
    folder = tempfile.mkdtemp(prefix="rutter-proto-")
    files = sorted(f"v1/{file.name}" for file in (PROTO / "v1").glob("*.proto"))
    includes = [f"-I{PROTO}", f"-I{Path(protoc.__file__).parent / '_proto'}"]
    if protoc.main(["protoc", *includes, f"--python_out={folder}", f"--grpc_python_out={folder}", *files]) != 0:
        sys.exit(f"planner.py: the files in {PROTO} cannot be compiled")
    sys.path.insert(0, folder)
    names = ["action_pb2", "attempt_pb2", "planner_pb2", "planner_pb2_grpc"]
    return [importlib.import_module(f"v1.{name}") for name in names]


action, attempt, planner, service = compiled()


def click(element):
    """A click on an element of the request's observation, by its index; what the element looks like need not be said."""
    nowhere = action.Descriptor(bounds=action.Rect())
    return planner.PageAction(action=action.Action(click=action.Click(element=nowhere, count=1)), elements=[element])


def stop(claim):
    """The end of the attempt. What it claims is checked by somebody else."""
    return planner.PageAction(action=action.Action(stop=action.Stop(claim=claim)))


def decide(request):
    """The next action, and why."""
    if request.history:
        return stop(action.Claim(done=action.Nothing())), "the button was clicked"
    quoted = re.search(r'"([^"]+)"', request.instruction)
    wanted = quoted[1] if quoted else ""
    for index, node in enumerate(request.observation.nodes):
        if node.role == "button" and node.name == wanted:
            return click(index), f"the task names the button {wanted}"
    return stop(action.Claim(infeasible=f"there is no button {wanted!r}")), "nothing fits"


class Planner(service.PlannerServiceServicer):
    def Decide(self, request, context):
        act, reason = decide(request)
        choice = planner.Choice(act=act)
        decision = planner.Decision(choice=choice, reason=reason, confidence=1.0, level=attempt.LEVEL_REASON)
        return planner.DecideResponse(decision=decision)


def main():
    # A request holds a page and all steps so far. gRPC allows 4 MiB by itself; Rutter sends 16 at most.
    server = grpc.server(futures.ThreadPoolExecutor(8), options=[("grpc.max_receive_message_length", 16 << 20)])
    service.add_PlannerServiceServicer_to_server(Planner(), server)
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7071"
    port = server.add_insecure_port(address)
    server.start()
    print(f"listening on http://{address.rpartition(':')[0]}:{port}", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
