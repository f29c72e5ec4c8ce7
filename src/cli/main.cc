// The main function of jprof.
#include <cstdio>

#include "cli/run_command.h"
#include "cli/words/command_line.h"
#include "cli/words/print.h"

namespace {

int Fail(const jprof::Failure& failure) {
  jprof::Print(stderr, "jprof: " + failure.message());
  return jprof::ExitCodeOf(failure.kind());
}

}  // namespace

int main(int argc, char** argv) {
  const jprof::Outcome<jprof::CommandLine> line = jprof::ParseCommandLine(argc, argv);
  if (!line) return Fail(line.error());
  const jprof::Outcome<int> done = jprof::RunCommand(line.value());
  return done ? done.value() : Fail(done.error());
}
