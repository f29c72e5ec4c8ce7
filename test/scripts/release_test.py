"""Tests the modules of scripts/release that make packages, on small files."""

import contextlib
import hashlib
import io
import json
import os
import subprocess
import tarfile
import tempfile
import unittest
import urllib.request
import xml.etree.ElementTree
import zipfile

from releaselib import apt, archives, build, checks, image, maven, project, sbom, signing, trials

TIME = 1_700_000_000
BUILD = os.environ["JPROF_BUILD"]


def files_of(tar):
    """Returns {path: bytes} of the files of a .tar."""
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isreg()}


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    return path


def make_deb(folder, name, architecture, files):
    """Makes a package of Debian with these files."""
    tree = os.path.join(folder, f"{name}-{architecture.debian}")
    for path, content in files.items():
        write(os.path.join(tree, path), content)
    write(os.path.join(tree, "DEBIAN/control"),
          f"Package: {name}\nVersion: 1.0-1\nArchitecture: {architecture.debian}\n"
          f"Source: glibc (1.0)\nMaintainer: test\nDescription: test\n more text\n")
    output = os.path.join(folder, f"{name}_1.0-1_{architecture.debian}.deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, output], check=True,
                   stdout=subprocess.DEVNULL)
    return output


class ReleaseTest(unittest.TestCase):
    """Has a folder, and builds whose binaries are small texts."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.builds = [build.Build(self.folder, each) for each in project.ARCHITECTURES]
        for each in self.builds:
            for path in project.LARGEST:
                write(os.path.join(each.installed, path), each.architecture.name)

    def path(self, *names):
        return os.path.join(self.folder, *names)


class ChecksTest(ReleaseTest):
    def test_a_binary_that_is_too_large_is_refused(self):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            checks.check_sizes(self.builds)
            for path, largest in project.LARGEST.items():
                binary = os.path.join(self.builds[1].installed, path)
                os.truncate(binary, largest)
                checks.check_sizes(self.builds)
                os.truncate(binary, largest + 1)
                with self.assertRaisesRegex(SystemExit, f"{path} of aarch64 is too large"):
                    checks.check_sizes(self.builds)
                os.truncate(binary, 1)
        self.assertRegex(printed.getvalue(), r"bin/jprof +x64 +3 bytes, at most 6000000")

    def test_builds_are_equal_if_all_files_are(self):
        one, other = self.path("one"), self.path("other")
        for folder in (one, other):
            write(os.path.join(folder, "package"), "bytes")
        with contextlib.redirect_stdout(io.StringIO()):
            checks.check_equal(one, other)
        write(os.path.join(other, "package"), "bytez")
        with self.assertRaisesRegex(SystemExit, "differ in package"):
            checks.check_equal(one, other)
        write(os.path.join(other, "package"), "bytes")
        for folder in (one, other):
            only = write(os.path.join(folder, "only"), "")
            with self.assertRaisesRegex(SystemExit, "differ in only"):
                checks.check_equal(one, other)
            os.remove(only)


class ArchivesTest(ReleaseTest):
    def test_the_order_of_adding_changes_no_byte(self):
        entries = [("b/file", "text"), ("a", "other"), ("META-INF/MANIFEST.MF", "first")]
        one, other = archives.Tree(), archives.Tree()
        for path, text in entries:
            one.add(path, text)
        for path, text in reversed(entries):
            other.add(path, text)
        self.assertEqual(one.tar(TIME), other.tar(TIME))
        self.assertEqual(one.zip(), other.zip())
        with zipfile.ZipFile(io.BytesIO(one.zip())) as jar:
            self.assertEqual(jar.namelist(), ["META-INF/MANIFEST.MF", "a", "b/file"])
        self.assertEqual(archives.compressed(b"text"), archives.compressed(b"text"))

    def test_entries_have_the_given_time_and_no_owner(self):
        tree = archives.Tree()
        tree.add("folder/program", "text", 0o755)
        tree.link("link", "folder")
        with tarfile.open(fileobj=io.BytesIO(tree.tar(TIME))) as archive:
            for entry in archive:
                self.assertEqual((entry.mtime, entry.uid, entry.gid, entry.uname),
                                 (TIME, 0, 0, ""))
            self.assertEqual([entry.mode for entry in archive if entry.isreg()], [0o755])


class ImageTest(ReleaseTest):
    def layout(self):
        for architecture in project.ARCHITECTURES:
            make_deb(self.path("debian"), "libc6", architecture,
                     {"lib/x/libc.so.6": "c", "lib/x/libnss_files.so.2": "not needed"})
            make_deb(self.path("debian"), "busybox-static", architecture, {"bin/busybox": "sh"})
        return files_of(image.make(self.builds, self.path("debian"), TIME))

    @staticmethod
    def blob(files, descriptor):
        data = files["blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")]
        assert len(data) == descriptor["size"], descriptor
        assert hashlib.sha256(data).hexdigest() == descriptor["digest"][7:], descriptor
        return data

    def test_every_architecture_has_its_own_binaries(self):
        files = self.layout()
        self.assertEqual(json.loads(files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        (index,) = json.loads(files["index.json"])["manifests"]
        self.assertEqual(index["annotations"]["org.opencontainers.image.ref.name"],
                         project.version())
        found = {}
        for descriptor in json.loads(self.blob(files, index))["manifests"]:
            manifest = json.loads(self.blob(files, descriptor))
            config = json.loads(self.blob(files, manifest["config"]))
            self.assertEqual(config["architecture"], descriptor["platform"]["architecture"])
            tars = [subprocess.run(["gzip", "-dc"], input=self.blob(files, layer), check=True,
                                   stdout=subprocess.PIPE).stdout for layer in manifest["layers"]]
            self.assertEqual(config["rootfs"]["diff_ids"],
                             ["sha256:" + hashlib.sha256(tar).hexdigest() for tar in tars])
            base, own = map(files_of, tars)
            self.assertEqual(base["usr/bin/busybox"], b"sh")
            self.assertIn("usr/lib/x/libc.so.6", base)
            self.assertIn("var/lib/dpkg/status.d/libc6", base)
            self.assertNotIn("usr/lib/x/libnss_files.so.2", base)
            found[config["architecture"]] = own["opt/jprof/lib/libprofiler.so"]
        self.assertEqual(found, {"amd64": b"x64", "arm64": b"aarch64"})


class AptTest(ReleaseTest):
    def test_lists_have_the_sums_of_packages_and_release_has_those_of_lists(self):
        for architecture in project.ARCHITECTURES:
            make_deb(self.path("packages"), "jprof", architecture, {"usr/bin/jprof": "text"})
        files = files_of(apt.tree(self.path("packages"), TIME).tar(TIME))
        release = files["dists/stable/Release"].decode()
        for architecture in project.ARCHITECTURES:
            name = f"main/binary-{architecture.debian}/Packages"
            for each in (name, name + ".gz"):
                self.assertIn(f" {hashlib.sha256(files['dists/stable/' + each]).hexdigest()} ",
                              release)
            text = files[f"dists/stable/{name}"].decode()
            fields = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
            data = files[fields["Filename"]]
            self.assertEqual(fields["Architecture"], architecture.debian)
            self.assertEqual(fields["SHA256"], hashlib.sha256(data).hexdigest())
            self.assertEqual(int(fields["Size"]), len(data))

    def test_a_repository_is_served_with_a_signature_that_gpg_accepts(self):
        make_deb(self.path("packages"), "jprof", project.ARCHITECTURES[0], {"file": "text"})
        tree = apt.tree(self.path("packages"), TIME)
        with trials.new_key() as key:
            signing.sign_apt(tree, signing.Signer(key))
            for path, (_, content) in tree.entries.items():
                if content is not None:
                    with open(write(self.path("served", path), ""), "wb") as file:
                        file.write(content)
            with trials.serving(self.path("served")) as url:
                with urllib.request.urlopen(f"{url}/dists/stable/InRelease") as answer:
                    self.assertIn(b"BEGIN PGP SIGNED MESSAGE", answer.read())
            release = self.path("served/dists/stable/Release")
            subprocess.run(["gpg", "--quiet", "--verify", release + ".gpg", release], check=True,
                           stderr=subprocess.DEVNULL)


class MavenTest(ReleaseTest):
    # Lists the elements that Maven Central demands
    # (https://central.sonatype.org/publish/requirements).
    DEMANDED = ["modelVersion", "groupId", "artifactId", "version", "name", "description", "url",
                "licenses/license/name", "licenses/license/url", "developers/developer/name",
                "scm/connection", "scm/developerConnection", "scm/url"]

    def setUp(self):
        super().setUp()
        native = self.builds[0]
        native.folder = BUILD
        for jar in ("jprof.jar", "jprof-opentelemetry.jar"):
            with open(os.path.join(BUILD, "lib", jar), "rb") as file:
                data = file.read()
            with open(os.path.join(native.installed, "lib", jar), "wb") as file:
                file.write(data)
        self.tree = maven.tree(self.builds)
        self.content = {path: content for path, (_, content) in self.tree.entries.items()
                        if content is not None}

    def artifact(self, name, suffix):
        base = f"{project.MAVEN_GROUP.replace('.', '/')}/{name}/{project.version()}"
        return f"{base}/{name}-{project.version()}{suffix}"

    def jar(self, name, suffix=".jar"):
        return zipfile.ZipFile(io.BytesIO(self.content[self.artifact(name, suffix)]))

    def test_each_artifact_has_all_that_central_demands(self):
        for name in maven.DESCRIPTIONS:
            for suffix in (".pom", ".jar", "-sources.jar", "-javadoc.jar"):
                path = self.artifact(name, suffix)
                for algorithm in ("md5", "sha1", "sha256", "sha512"):
                    self.assertEqual(self.content[f"{path}.{algorithm}"].decode(),
                                     hashlib.new(algorithm, self.content[path]).hexdigest())
            pom = xml.etree.ElementTree.fromstring(self.content[self.artifact(name, ".pom")])
            namespace = "{http://maven.apache.org/POM/4.0.0}"
            for path in self.DEMANDED:
                element = pom.find("/".join(namespace + part for part in path.split("/")))
                self.assertTrue(element is not None and element.text, f"{name}: {path}")

    def test_the_natives_are_where_the_api_looks_for_them(self):
        with self.jar("jprof-natives") as jar:
            for each in self.builds:
                path = f"jprof/{each.architecture.jar}/libprofiler.so"
                self.assertEqual(jar.read(path).decode(), each.architecture.name)
        with open(os.path.join(maven.JAVA, "jprof/Library.java"), encoding="utf-8") as file:
            source = file.read()
        for part in ('"linux-" + architecture + "/" + NAME', '? "arm64" : "x64"'):
            self.assertIn(part, source)

    def test_sources_and_documentation_are_those_of_the_classes(self):
        with self.jar("jprof", "-sources.jar") as sources, self.jar("jprof") as classes:
            names = set(sources.namelist())
            for name in classes.namelist():
                if name.endswith(".class") and "$" not in name:
                    self.assertIn(name.replace(".class", ".java"), names)
        with self.jar("jprof", "-javadoc.jar") as documentation:
            self.assertIn("jprof/Profiler.html", documentation.namelist())

    def test_signatures_are_beside_the_artifacts(self):
        with trials.new_key() as key:
            signing.sign_maven(self.tree, signing.Signer(key))
            for suffix in (".pom", ".jar", "-sources.jar", "-javadoc.jar"):
                path = self.artifact("jprof", suffix)
                for name in (path, path + ".asc"):
                    with open(write(self.path(name), ""), "wb") as file:
                        file.write(self.tree.entries[name][1])
                subprocess.run(["gpg", "--quiet", "--verify", self.path(path + ".asc"),
                                self.path(path)], check=True, stderr=subprocess.DEVNULL)


class SbomTest(ReleaseTest):
    def setUp(self):
        super().setUp()
        archive = project.run(os.environ.get("CXX", "g++"), "-print-file-name=libstdc++.a").strip()
        for each in self.builds:
            for name in sbom.BINARIES:
                write(each.path(f"{name}.inputs"),
                      f"lib/{name}: \\\n  src/own.o \\\n  {archive} \\\n  /lib/libc.so.6\n")
            make_deb(self.path("debian"), "libc6", each.architecture, {"file": "text"})

    def test_each_binary_names_the_packages_whose_code_it_contains(self):
        document = json.loads(sbom.make(self.builds, self.path("debian"), TIME))
        packages = {package["SPDXID"]: package for package in document["packages"]}
        linked = {(relation["spdxElementId"],
                   packages[relation["relatedSpdxElement"]]["sourceInfo"].split()[-1])
                  for relation in document["relationships"]
                  if relation["relationshipType"] == "STATIC_LINK"}
        compiler = next(source for _, source in linked if source.startswith("gcc"))
        self.assertEqual(linked, {
            ("SPDXRef-libprofiler.so-x64", compiler), ("SPDXRef-jprof-x64", compiler),
            ("SPDXRef-libprofiler.so-aarch64", compiler), ("SPDXRef-jprof-aarch64", compiler),
            ("SPDXRef-jprof-x64", "protozero"), ("SPDXRef-jprof-aarch64", "protozero")})
        for relation in document["relationships"]:
            for end in ("spdxElementId", "relatedSpdxElement"):
                self.assertIn(relation[end], {"SPDXRef-DOCUMENT", *packages})
        for package in packages.values():
            self.assertTrue(package["versionInfo"], package)
            self.assertTrue(package["licenseConcluded"], package)

    def test_a_package_without_a_known_licence_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "licence of other .* is unknown"):
            sbom.DebianPackage("other", "1", "amd64", "other")

    def test_a_file_without_a_package_is_refused(self):
        each = self.builds[0]
        write(each.path("jprof.inputs"), "bin/jprof: /no/such/archive.a\n")
        with self.assertRaisesRegex(SystemExit, "/no/such/archive.a was linked"):
            sbom.linked_packages(each, "jprof")


if __name__ == "__main__":
    unittest.main()
