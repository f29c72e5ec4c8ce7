"""Signatures by gpg. They differ each time, so they are no part of what two builds compare."""

import os
import tempfile

from releaselib import project


class Signer:
    """Signs by a key of the user's keyring. GNUPGHOME names another keyring."""

    def __init__(self, key):
        self.command = ["gpg", "--batch", "--yes", "--quiet", "--local-user", key]
        self.key = key

    def public_key(self):
        return project.run("gpg", "--batch", "--armor", "--export", self.key)

    def detached(self, data):
        return self._sign(data, "--detach-sign")

    def clear(self, data):
        return self._sign(data, "--clearsign")

    def _sign(self, data, how):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data")
            with open(path, "wb") as file:
                file.write(data)
            project.run(*self.command, "--armor", how, "--output", path + ".asc", path)
            with open(path + ".asc", encoding="utf-8") as file:
                return file.read()


def sign_maven(tree, signer):
    """Adds a signature of each artifact to the repository, as Maven Central demands."""
    for path in [path for path in tree.entries if path.endswith((".jar", ".pom"))]:
        tree.add(f"{path}.asc", signer.detached(tree.entries[path][1]))


def sign_apt(tree, signer):
    """Signs the repository, and adds the public key."""
    (path,) = [path for path in tree.entries if path.endswith("/Release")]
    data, folder = tree.entries[path][1], os.path.dirname(path)
    tree.add(f"{folder}/InRelease", signer.clear(data))
    tree.add(f"{folder}/Release.gpg", signer.detached(data))
    tree.add(f"{project.NAME}.asc", signer.public_key())
