"""The Maven artifacts, in the layout of a repository: Maven Central takes this tree as a bundle.

    jprof                 the Java API
    jprof-natives         libprofiler.so of every architecture; the API unpacks the right one
    jprof-opentelemetry   the extension of OpenTelemetry's javaagent
"""

import hashlib
import os
import subprocess
import tempfile
import xml.sax.saxutils

from releaselib import archives, project

POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://maven.apache.org/POM/4.0.0
                             http://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
  <packaging>jar</packaging>
  <name>{artifact}</name>
  <description>{description}</description>
  <url>{url}</url>
  <licenses>
    <license>
      <name>{licence}</name>
      <url>{licence_url}</url>
      <distribution>repo</distribution>
    </license>
  </licenses>
  <developers>
    <developer>
      <name>{developers}</name>
      <url>{url}</url>
    </developer>
  </developers>
  <scm>
    <connection>scm:git:{url}/{name}.git</connection>
    <developerConnection>scm:git:{url}/{name}.git</developerConnection>
    <url>{url}/{name}.git</url>
    <tag>{commit}</tag>
  </scm>
{dependencies}</project>
"""
DEPENDENCY = """  <dependencies>
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{name}</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
"""
NATIVES = "jprof-natives"
DESCRIPTIONS = {
    "jprof": "Java API of the profiler jprof: trace contexts of threads, control of recordings",
    NATIVES: "the native libraries of the profiler jprof, which its Java API unpacks and loads",
    "jprof-opentelemetry": "extension of OpenTelemetry's javaagent: spans in recordings of jprof",
}
NO_SOURCES = """This artifact has no Java classes. Its libraries are built from the C++ sources of
jprof, commit {commit}.
"""
NATIVES_MANIFEST = """Manifest-Version: 1.0\r
Automatic-Module-Name: jprof.natives\r
\r
"""
JAVA = os.path.join(project.ROOT, "src", "java")


def pom(artifact):
    facts = {"group": project.MAVEN_GROUP, "artifact": artifact, "version": project.version(),
             "description": DESCRIPTIONS[artifact], "url": project.URL, "name": project.NAME,
             "licence": project.LICENCE, "licence_url": project.LICENCE_URL,
             "developers": project.DEVELOPERS, "commit": project.commit()}
    facts = {name: xml.sax.saxutils.escape(value) for name, value in facts.items()}
    needs_api = artifact == NATIVES
    return POM.format(dependencies=DEPENDENCY.format(**facts) if needs_api else "", **facts)


def _sources(*folders):
    """Returns a tree of the Java sources of these folders of src/java, by their packages."""
    tree = archives.Tree()
    for folder, place in folders:
        for name in sorted(os.listdir(os.path.join(JAVA, folder))):
            if name.endswith(".java"):
                tree.copy(os.path.join(JAVA, folder, name), place + name)
    return tree


def _javadoc(javadoc, files, class_path):
    with tempfile.TemporaryDirectory() as folder:
        project.run(javadoc, "-quiet", "-notimestamp", "-encoding", "UTF-8", "-docencoding",
                    "UTF-8", "-Xdoclint:none", "-classpath", class_path, "-d", folder,
                    *sorted(files), stderr=subprocess.DEVNULL)
        tree = archives.Tree()
        tree.copy(folder, "")
        return tree.zip()


def _java_files(folder):
    return [os.path.join(parent, name) for parent, _, names in os.walk(os.path.join(JAVA, folder))
            for name in names if name.endswith(".java")]


def natives(builds):
    """Returns the jar with the libraries."""
    tree = archives.Tree()
    tree.add("META-INF/MANIFEST.MF", NATIVES_MANIFEST)
    for name in ("LICENSE", "THIRD-PARTY"):
        tree.copy(os.path.join(project.ROOT, name), f"META-INF/{name}")
    for build in builds:
        tree.copy(os.path.join(build.installed, "lib/libprofiler.so"),
                  f"jprof/{build.architecture.jar}/libprofiler.so")
    return tree.zip()


def artifacts(builds):
    """Returns {artifact: {suffix of its files: bytes}}."""
    installed = os.path.join(builds[0].installed, "lib")
    javadoc = _cached(builds[0], "Java_JAVADOC_EXECUTABLE")
    read = {}
    for artifact in ("jprof", "jprof-opentelemetry"):
        with open(os.path.join(installed, f"{artifact}.jar"), "rb") as file:
            read[artifact] = file.read()
    nothing = archives.Tree()
    nothing.add("README", NO_SOURCES.format(commit=project.commit()))
    declarations = builds[0].path("generated/opentelemetry_jar/declarations")
    api_jar = os.path.join(installed, "jprof.jar")
    return {
        "jprof": {
            ".jar": read["jprof"],
            "-sources.jar": _sources(("jprof", "jprof/"), ("versions/9", "META-INF/versions/9/"),
                                     ("versions/9/jprof", "META-INF/versions/9/jprof/")).zip(),
            "-javadoc.jar": _javadoc(javadoc, _java_files("jprof"), "")},
        NATIVES: {".jar": natives(builds), "-sources.jar": nothing.zip(),
                  "-javadoc.jar": nothing.zip()},
        "jprof-opentelemetry": {
            ".jar": read["jprof-opentelemetry"],
            "-sources.jar": _sources(("opentelemetry", ""), ("opentelemetry/extension", "")).zip(),
            "-javadoc.jar": _javadoc(
                javadoc, [path for path in _java_files("opentelemetry")
                          if "/declarations/" not in path], f"{declarations}:{api_jar}")}}


def _cached(build, name):
    with open(build.path("CMakeCache.txt"), encoding="utf-8") as file:
        return next(line.strip().split("=", 1)[1] for line in file if line.startswith(f"{name}:"))


def tree(builds):
    """Returns the files of the repository with their checksums, and without signatures."""
    result = archives.Tree()
    for artifact, files in artifacts(builds).items():
        files[".pom"] = pom(artifact).encode()
        folder = "/".join([*project.MAVEN_GROUP.split("."), artifact, project.version()])
        for suffix, data in files.items():
            path = f"{folder}/{artifact}-{project.version()}{suffix}"
            result.add(path, data)
            for algorithm in ("md5", "sha1", "sha256", "sha512"):
                result.add(f"{path}.{algorithm}", hashlib.new(algorithm, data).hexdigest())
    return result
