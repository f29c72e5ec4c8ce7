#include "cli/words/print.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace jprof {
namespace {

// True if a process whose standard output is `output` can print `bytes` bytes.
bool CanPrint(const char* output, size_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(output, O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    const Outcome<void> printed = PrintResult(std::string(bytes, 'x'));
    const bool says_why =
        !printed && printed.error().kind() == FailureKind::kFile &&
        printed.error().message().find("No space left on device") != std::string::npos;
    _exit(printed ? 0 : says_why ? 1 : 2);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
  return WEXITSTATUS(status) == 0;
}

TEST(PrintTest, FailsIfOutputOfAnyLengthDoesNotFit) {
  for (const size_t bytes : {size_t{1}, size_t{14'000}, size_t{1'000'000}}) {
    EXPECT_TRUE(CanPrint("/dev/null", bytes)) << bytes;
    EXPECT_FALSE(CanPrint("/dev/full", bytes)) << bytes;
  }
}

}  // namespace
}  // namespace jprof
