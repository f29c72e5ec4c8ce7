"""A server that answers kubectl as the API server of a Kubernetes cluster with a single pod.

So kubectl itself checks the command lines of the manual, and what it sends to the server says what
they mean.
"""

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

RESOURCES = [{"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod",
              "verbs": ["get"], "shortNames": ["po"]},
             {"name": "pods/ephemeralcontainers", "singularName": "", "namespaced": True,
              "kind": "Pod", "verbs": ["get", "patch", "update"]}]
ANSWERS = {"/api": {"kind": "APIVersions", "versions": ["v1"]},
           "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
           "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": RESOURCES}}


class Cluster:
    """A cluster with one pod. `ephemeral`: the containers that were added to it."""

    def __init__(self, pod, container):
        self.path = f"/api/v1/namespaces/default/pods/{pod}"
        self.pod = {"apiVersion": "v1", "kind": "Pod",
                    "metadata": {"name": pod, "namespace": "default"},
                    "spec": {"containers": [{"name": container, "image": "app"}]},
                    "status": {"phase": "Running"}}
        self.ephemeral, self.executed = [], None
        cluster = self

        class Handler(BaseHTTPRequestHandler):
            def say(self, answer, code=200):
                body = json.dumps(answer).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def refuse(self, code):
                self.say({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code},
                         code)

            def do_GET(self):
                url = urlparse(self.path)
                if url.path == cluster.path + "/exec":
                    cluster.executed = parse_qs(url.query)
                    self.refuse(403)
                elif url.path == cluster.path:
                    self.say(cluster.pod)
                elif url.path in ANSWERS:
                    self.say(ANSWERS[url.path])
                else:
                    self.refuse(404)

            do_POST = do_GET

            def do_PATCH(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if urlparse(self.path).path != cluster.path + "/ephemeralcontainers":
                    self.refuse(404)
                    return
                cluster.ephemeral += body["spec"]["ephemeralContainers"]
                cluster.pod["spec"]["ephemeralContainers"] = cluster.ephemeral
                self.say(cluster.pod)

            def log_message(self, *_):
                """Prints nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def kubectl(self, words, home):
        """Runs kubectl on the cluster."""
        address = f"http://127.0.0.1:{self.server.server_port}"
        return subprocess.run(["kubectl", "--server", address, *words], text=True, timeout=120,
                              env={"HOME": home, "KUBECONFIG": "/dev/null", "PATH": "/usr/bin:/bin"},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def debug(self, words, home):
        """Runs `kubectl debug` and returns the ephemeral container that it adds."""
        before = len(self.ephemeral)
        done = self.kubectl(words, home)
        assert done.returncode == 0 and len(self.ephemeral) == before + 1, done.stdout
        return self.ephemeral[-1]

    def execution(self, words, home):
        """Runs `kubectl exec` and returns the container and the command of its request. The server
        refuses the request, because it has no containers in which to execute a command."""
        self.executed = None
        done = self.kubectl(words, home)
        assert self.executed is not None, done.stdout
        return self.executed["container"][0], self.executed["command"]
