#include "cli/launch/launched_command.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace jprof {
namespace {

// Runs the script as jprof does, in a process that is the session leader of a terminal. Calls `act`
// with the terminal once the script has printed "ready". Returns the exit code of the script.
int ExitCodeOnTerminal(const std::vector<std::string>& command,
                       const std::function<void(int terminal)>& act) {
  int report[2];
  EXPECT_EQ(pipe(report), 0);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    const auto launched = LaunchedCommand::Start(command, "UNUSED", "");
    const int code =
        launched ? ExitCodeOfStatus(*launched.value().Wait(Deadline::In(60'000'000'000))) : 99;
    const auto byte = static_cast<char>(code);
    _exit(write(report[1], &byte, 1) == 1 ? 0 : 1);
  }
  close(report[1]);
  std::string said;
  char c = 0;
  while (said.find("ready") == std::string::npos && read(terminal, &c, 1) == 1) said += c;
  act(terminal);
  char code = -1;
  EXPECT_EQ(read(report[0], &code, 1), 1);
  close(report[0]);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return code;
}

std::vector<std::string> Script(const std::string& signal, int code) {
  return {"/bin/sh", "-c",
          "trap 'exit " + std::to_string(code) + "' " + signal +
              "; echo ready; for i in $(seq 100); do sleep 0.05; done; exit 0"};
}

void PressCtrlC(int terminal) { EXPECT_EQ(write(terminal, "\x03", 1), 1); }

TEST(LaunchedCommandTest, PassesCtrlCToACommandInAnotherProcessGroup) {
  std::vector<std::string> command = Script("INT", 5);
  command.insert(command.begin(), "setsid");
  EXPECT_EQ(ExitCodeOnTerminal(command, PressCtrlC), 5);
}

TEST(LaunchedCommandTest, ACommandInOurProcessGroupGetsCtrlCOnce) {
  std::vector<std::string> command = Script("INT", 5);
  command.back() =
      "trap 'trap \"exit 6\" INT; sleep 0.3; exit 5' INT; echo ready; "
      "for i in $(seq 100); do sleep 0.05; done; exit 0";
  EXPECT_EQ(ExitCodeOnTerminal(command, PressCtrlC), 5);
}

TEST(LaunchedCommandTest, PassesTheHangupOfTheTerminalToTheCommand) {
  EXPECT_EQ(ExitCodeOnTerminal(Script("HUP", 7), [](int terminal) { close(terminal); }), 7);
}

}  // namespace
}  // namespace jprof
