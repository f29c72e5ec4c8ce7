"""Trials of packages in root file systems that have a Java runtime and nothing else for jprof.

Each trial installs one package by one command and makes a flame graph by a second one.
"""

import contextlib
import functools
import glob
import http.server
import io
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import threading
import zipfile

from releaselib import archives, project, signing

TRIAL = os.path.join(project.ROOT, "scripts", "releaselib", "trial")
ROOTS = os.path.join(project.ROOT, "scripts", "debian_roots.bash")

# Records a running program; then uses the other commands of jprof. $1 is the path of jprof, and $2
# the process id of a program that runs already.
USE = """set -e
cd "$(mktemp -d)"
java=$2
if [ -z "$java" ]; then
  java -cp /trial Busy >busy.txt 2>&1 &
  java=$!
  trap 'kill "$java"' EXIT
  sleep 1
fi
"$1" record -d 2s -o cpu.html "$java"
grep -q Busy cpu.html
"$1" list >list.txt
"""
USE_MORE = """
"$1" record --event cpu,wall,alloc -o out.jfr -- "$(command -v java)" -version >record.txt 2>&1
"$1" view hot out.jfr >hot.txt
test -s hot.txt
for result in pb.gz html collapsed; do "$1" convert out.jfr "out.$result"; done
! "$1" view hot /nowhere.jfr 2>error.txt
grep -q nowhere error.txt
"""


class Root:
    """A root file system of a suite of Debian. The folder /trial exists during a trial."""

    def __init__(self, suite):
        self.path = self._bash('make_root "$1" "$1" default-jre-headless >&2 && echo "$root"',
                               suite).strip()
        self.trial = os.path.join(self.path, "trial")

    @staticmethod
    def _bash(command, *arguments):
        done = subprocess.run(["bash", "-euc", f"source {ROOTS}\n{command}", "release", *arguments],
                              check=False, text=True, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"release: {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def __enter__(self):
        shutil.rmtree(self.trial, ignore_errors=True)
        os.mkdir(self.trial)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.trial, ignore_errors=True)

    def sh(self, script, *arguments):
        return self._bash('inside "$@"', self.path, "sh", "-c", script, "sh", *arguments)

    def use(self, program):
        self.sh(USE + USE_MORE, program, "")


class Trials:
    """The trials of the packages in a folder. Java classes of the trials are compiled to `work`."""

    def __init__(self, packages, work):
        self.packages, self.work = packages, work
        self.architecture = project.ARCHITECTURES[0]
        project.run("javac", "--release", "8", "-Xlint:-options", "-cp", self._maven_jar("jprof"),
                    "-d", work, *glob.glob(os.path.join(TRIAL, "*.java")))

    def package(self, pattern):
        (path,) = glob.glob(os.path.join(self.packages, pattern))
        return path

    def _maven_jar(self, artifact):
        """Unpacks a jar of the Maven artifacts, and returns its path."""
        with zipfile.ZipFile(self.package("*-maven.zip")) as bundle:
            name = f"{artifact}-{project.version()}.jar"
            (path,) = [path for path in bundle.namelist() if path.endswith("/" + name)]
            with open(os.path.join(self.work, name), "wb") as file:
                file.write(bundle.read(path))
        return os.path.join(self.work, name)

    def run(self, suite):
        """Runs all trials in a suite. Raises an error if one fails."""
        with Root(suite) as root:
            for name in glob.glob(os.path.join(self.work, "*.class")):
                shutil.copy(name, root.trial)
            for trial in (self.archive, self.deb, self.rpm, self.apt, self.image, self.maven):
                trial(root)
                print(f"release: {suite}: {trial.__name__} works", flush=True)

    def archive(self, root):
        name = f"jprof-{project.version()}-linux-{self.architecture.name}"
        shutil.copy(self.package(f"{name}.tar.gz"), root.trial)
        root.sh(f"tar -xzf /trial/{name}.tar.gz -C /trial")
        root.use(f"/trial/{name}/bin/jprof")

    def deb(self, root):
        shutil.copy(self.package(f"jprof_*_{self.architecture.debian}.deb"),
                    os.path.join(root.trial, "jprof.deb"))
        root.sh("dpkg -i /trial/jprof.deb")
        root.use("/usr/bin/jprof")
        root.sh("dpkg -r jprof")

    def rpm(self, root):
        """Debian has no package of the RPM format that provides glibc. So the names of libraries
        that the package requires are checked here, and rpm does not look for them."""
        package = self.package(f"jprof-{project.version()}-*.{self.architecture.rpm}.rpm")
        for line in project.run("rpm", "-qp", "--requires", package).splitlines():
            if not re.match(r"(lib(c|m|dl|pthread|rt)\.so|ld-linux|rpmlib\(|rtld\()", line):
                raise SystemExit(f"release: {package} requires {line}")
        rpm = ["rpm", "--root", root.path, "--dbpath", "/trial/rpm"]
        quiet = {"stderr": subprocess.DEVNULL}  # Debian's rpm recommends Alien
        project.run(*rpm, "--install", "--nodeps", package, **quiet)
        root.use("/usr/bin/jprof")
        project.run(*rpm, "--erase", project.NAME, **quiet)
        if os.path.exists(os.path.join(root.path, "usr/bin/jprof")):
            raise SystemExit(f"release: {package} leaves its files behind")

    def apt(self, root):
        """Installs from the repository, signed by a key that is made here if it is not yet."""
        served = os.path.join(self.work, "apt")
        with tarfile.open(self.package("*-apt.tar")) as archive:
            archive.extractall(served)
        key = os.path.join(served, f"{project.NAME}.asc")
        if not os.path.exists(key):
            sign_by_a_new_key(served)
        shutil.copy(key, root.trial)
        with serving(served) as url:
            root.sh(f"""set -e
                echo "deb [signed-by=/trial/jprof.asc] {url} stable main" >/trial/jprof.list
                mkdir -p /trial/lists/partial /trial/archives/partial
                apt="apt-get -o Dir::Etc::SourceList=/trial/jprof.list -o Dir::Etc::SourceParts=-"
                apt="$apt -o Dir::State::Lists=/trial/lists -o Dir::Cache::Archives=/trial/archives"
                $apt update >/trial/apt.txt
                $apt install -y jprof >>/trial/apt.txt""")
        root.use("/usr/bin/jprof")
        root.sh("dpkg -r jprof")

    def image(self, root):
        """Records a program of the root file system from the image, and copies jprof out of it."""
        unpacked = unpack_image(self.package("*-oci.tar"), self.architecture.oci, self.work)
        inside = functools.partial(Root._bash, 'inside "$@"', unpacked)
        root.sh("java -cp /trial Busy >/trial/busy.txt 2>&1 & echo $! >/trial/pid; sleep 1")
        with open(os.path.join(root.trial, "pid"), encoding="ascii") as file:
            java = file.read().strip()
        try:
            inside("/bin/sh", "-c", USE, "sh", "/opt/jprof/bin/jprof", java)
        finally:
            os.kill(int(java), signal.SIGKILL)
        inside("/bin/sh", "-c", "cp -r /opt/jprof /tmp/shared && test -s"
               " /tmp/shared/lib/libprofiler.so && tar -cf /tmp/shared.tar -C /tmp shared && ps")

    def maven(self, root):
        jars = [os.path.basename(shutil.copy(self._maven_jar(artifact), root.trial))
                for artifact in ("jprof", "jprof-natives")]
        root.sh(f"""set -e
            cd /trial
            java -cp {':'.join(jars)}:. Recorded cpu.html >recorded.txt
            grep -q Busy cpu.html""")


def unpack_image(layout, architecture, work):
    """Unpacks the image of an architecture by skopeo and umoci, and returns its root folder."""
    one, bundle = os.path.join(work, "oci"), os.path.join(work, "bundle")
    for folder in (one, bundle):
        shutil.rmtree(folder, ignore_errors=True)
    project.run("skopeo", "--insecure-policy", "--override-arch", architecture, "copy", "--quiet",
                f"oci-archive:{layout}:{project.version()}", f"oci:{one}:jprof")
    config = json.loads(project.run("skopeo", "inspect", "--config", f"oci:{one}:jprof"))
    if config["architecture"] != architecture:
        raise SystemExit(f"release: the image of {architecture} is of {config['architecture']}")
    project.run("umoci", "unpack", "--image", f"{one}:jprof", bundle)
    root = os.path.join(bundle, "rootfs")
    for folder in ("proc", "sys", "dev"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    return root


def sign_by_a_new_key(folder):
    """Signs a repository in a folder by a key that is thrown away."""
    tree = archives.Tree()
    tree.copy(folder, "")
    with new_key() as key:
        signing.sign_apt(tree, signing.Signer(key))
    with tarfile.open(fileobj=io.BytesIO(tree.tar(0))) as archive:
        archive.extractall(folder)


@contextlib.contextmanager
def new_key():
    """Makes a key in a keyring that is removed afterwards."""
    with tempfile.TemporaryDirectory() as home:
        before = os.environ.get("GNUPGHOME")
        os.environ["GNUPGHOME"] = home
        try:
            project.run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key",
                        "trial@jprof.invalid", "default", "default", "never",
                        stderr=subprocess.DEVNULL)
            yield "trial@jprof.invalid"
        finally:
            subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False)
            if before is None:
                del os.environ["GNUPGHOME"]
            else:
                os.environ["GNUPGHOME"] = before


@contextlib.contextmanager
def serving(folder):
    """Serves a folder on the loopback interface, and yields its address."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            """Prints nothing."""

    handler = functools.partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
