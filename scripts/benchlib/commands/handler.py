"""Measures a walk in the handler: our walker and AsyncGetCallTrace.

Interrupts a thread repeatedly, and walks its stack with each of the two in turns. The stacks have
some 30 frames, 20 000 compiled frames, and 20 000 interpreted frames. Prints medians and, with
--histogram, the distribution of the times. These are elapsed times, but CPU times for the deep
stacks. With `--before BUILD` the walker of that build is measured too.
"""

import os
import subprocess

from benchlib import jdks, processes

# The depth of each measured stack, and further arguments of the JVM.
STACKS = (("27", ()), ("20000", ("-XX:+UseSerialGC",)), ("20000", ("-Xint",)))
WIDEST_BAR = 60


def configure(parser):
    parser.add_argument("--walks", type=int, default=4000)
    parser.add_argument("--histogram", action="store_true")
    jdks.add_argument(parser)


def measure(build, arguments, home, depth, jvm):
    probe = build.path("test/native/libwalk_probe.so")
    agent = f"-agentpath:{probe}=time={arguments.walks},depth=21000"
    return subprocess.run(
        [home + "/bin/java", *jvm, agent, "-cp", arguments.build.workloads, "WalkedDeep", depth],
        stdout=subprocess.PIPE, text=True, check=True).stdout


def print_histogram(lines):
    bins = [line.split()[1].split("=") for line in lines]
    most = max(int(count) for _, count in bins)
    for below, count in bins:
        bar = "#" * round(WIDEST_BAR * int(count) / most)
        print(f"    below {below:>9} ns {count:>7} {bar}")


def print_walks(out, histogram):
    values = processes.parse_values(out)
    for walker in ("own", "agct"):
        of = {key: values[f"time.{walker} {key}"]
              for key in ("walks", "frames", "median_ns", "ns_a_frame")}
        print(f"  {walker:5} {of['frames']:8.1f} frames: median {of['median_ns']:9.0f} ns, "
              f"{of['ns_a_frame']:5.1f} ns a frame ({of['walks']:.0f} walks)", flush=True)
        if histogram:
            print_histogram([line for line in out.splitlines()
                             if line.startswith(f"bin.{walker} ")])
    for line in out.splitlines():
        if line.startswith("time.agct_failed"):
            print("   ", line)


def run(arguments):
    builds = [("", arguments.build)]
    if arguments.build.before:
        builds.append((" before", arguments.build.before))
    for home in jdks.chosen(arguments):
        for depth, jvm in STACKS:
            for label, build in builds:
                print(f"{jdks.name(home)} {' '.join(jvm)}{label}", flush=True)
                print_walks(measure(build, arguments, home, depth, jvm), arguments.histogram)
