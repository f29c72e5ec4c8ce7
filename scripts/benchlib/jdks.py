"""Finds the JDKs to measure with."""

import argparse
import glob
import os
import re

FOLDERS = "/usr/lib/jvm/*"


def installed():
    """Returns the homes of the JDKs of this machine, the newest release last."""
    homes = {os.path.realpath(home) for home in glob.glob(FOLDERS)}
    return sorted((home for home in homes if os.path.exists(home + "/bin/jcmd")), key=release)


def release(home):
    """Returns the release of a JDK by its home, 17 for /usr/lib/jvm/java-17-openjdk-amd64; 0 if
    unknown."""
    try:
        with open(os.path.join(home, "release"), encoding="utf-8") as file:
            version = re.search(r'JAVA_VERSION="(?:1\.)?(\d+)', file.read())
    except OSError:
        version = None
    return int(version.group(1)) if version else 0


def name(home):
    return os.path.basename(home)


def home(text):
    """Returns the home of a JDK. It is a type for argparse."""
    if not os.path.exists(text + "/bin/java"):
        raise argparse.ArgumentTypeError(f"no bin/java in {text}")
    return text


def add_argument(parser):
    parser.add_argument("--jdk", action="append", metavar="HOME", type=home,
                        help="home of a JDK, may be repeated; default: every JDK in /usr/lib/jvm")


def add_newest_argument(parser):
    parser.add_argument("--jdk", metavar="HOME", type=home,
                        help="home of a JDK; default: the newest in /usr/lib/jvm")


def chosen(arguments):
    return arguments.jdk or installed()


def newest(arguments):
    return arguments.jdk or installed()[-1]
