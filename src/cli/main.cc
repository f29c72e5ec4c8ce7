// jprof: main.
#include <cstdio>

#include "cli/actions.h"
#include "cli/command_line.h"
#include "cli/print.h"

namespace {

int Fail(const jprof::Failure& failure) {
  jprof::Print(stderr, "jprof: " + failure.message());
  return jprof::ExitCodeOf(failure.kind());
}

}  // namespace

int main(int argc, char** argv) {
  const jprof::Outcome<jprof::CommandLine> line = jprof::ReadCommandLine(argc, argv);
  if (!line) return Fail(line.error());
  const jprof::Outcome<void> done = jprof::RunCommand(line.value());
  return done ? 0 : Fail(done.error());
}
