"""Archives whose bytes depend only on their content: entries in the order of their names, no
owners, one time for all."""

import gzip
import io
import os
import tarfile
import zipfile

ZIP_TIME = (2020, 1, 1, 0, 0, 0)  # that of the jars of cmake/make_jar.cmake


class Tree:
    """Files, folders and symbolic links by their paths in an archive, without a leading slash."""

    def __init__(self):
        # path -> (mode, content). Content is bytes, the target of a link as a str, or None for a
        # folder.
        self.entries = {}

    def add(self, path, content, mode=0o644):
        """Adds a file with its folders. Content is bytes or a text."""
        data = content.encode() if isinstance(content, str) else content
        self._put(path, mode, data)

    def link(self, path, target):
        self._put(path, 0o777, target)

    def folder(self, path, mode=0o755):
        self._put(path, mode, None)

    def copy(self, source, path):
        """Adds a file or a folder of the file system."""
        if os.path.islink(source):
            self.link(path, os.readlink(source))
        elif os.path.isdir(source):
            for name in os.listdir(source):
                self.copy(os.path.join(source, name), f"{path}/{name}" if path else name)
        else:
            with open(source, "rb") as file:
                self.add(path, file.read(), 0o755 if os.access(source, os.X_OK) else 0o644)

    def _put(self, path, mode, content):
        parent = os.path.dirname(path)
        if parent and parent not in self.entries:
            self.folder(parent)
        self.entries[path] = (mode, content)

    def tar(self, time, leading=""):
        """Returns the bytes of a .tar. `leading` precedes each path."""
        output = io.BytesIO()
        with tarfile.open(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path, (mode, content) in sorted(self.entries.items()):
                entry = tarfile.TarInfo(leading + path)
                entry.mode, entry.mtime = mode, time
                if content is None:
                    entry.type = tarfile.DIRTYPE
                elif isinstance(content, str):
                    entry.type, entry.linkname = tarfile.SYMTYPE, content
                else:
                    entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content) if entry.isreg() else None)
        return output.getvalue()

    def zip(self):
        """Returns the bytes of a .zip or jar of the files. A manifest precedes all other files."""
        output = io.BytesIO()
        files = [path for path, (_, content) in self.entries.items() if content is not None]
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(files, key=lambda path: (path != "META-INF/MANIFEST.MF", path)):
                entry = zipfile.ZipInfo(path, ZIP_TIME)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = self.entries[path][0] << 16
                archive.writestr(entry, self.entries[path][1])
        return output.getvalue()


def compressed(data):
    """Returns the data, compressed by gzip, without a time or name in the header."""
    return gzip.compress(data, compresslevel=9, mtime=0)
