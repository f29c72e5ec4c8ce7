// AgentCall: executes commands in the agent of a running JVM. To execute a command, AgentCall loads
// the agent, passes the option string, and reads the answer.
//
// A JVM returns only a number to an attaching program, so the answer comes in a file. The option
// string names a file that does not exist yet, answer=<tmp>/.jprof-awaited-<random>
// (base/agent_contract.h). Before the agent returns, it creates this file, readable by the JVM's
// user only, and writes its answer (answers/agent_answer.h) to the file.
//
// Used on jprof's only thread.
#pragma once

#include <string>

#include "answers/agent_answer.h"
#include "attach/agent_library.h"
#include "attach/deadline.h"
#include "attach/failure.h"
#include "attach/target_folder.h"
#include "attach/target_process.h"

namespace jprof {

class AgentCall {
 public:
  // Opens the JVM for any number of calls. `library` and `choice`: see AgentLibrary::For.
  static Outcome<AgentCall> To(pid_t pid, const std::string& library, AgentLibrary::Choice choice);

  // Fails if a call certainly cannot reach the JVM. Does not interact with the JVM, so a call can
  // fail even if this check succeeds.
  static Outcome<void> CheckReachable(pid_t pid);

  // Executes the command `options` and returns the agent's answer. Fails with the agent's error
  // (kRefused), or if the agent cannot be reached. Retries for a second while the JVM is still
  // starting. After a failure, the JVM can still execute the command later only if this process
  // failed to lock a file in the JVM's /tmp (kAwaitedPrefix in base/agent_contract.h).
  Outcome<AgentAnswer> Execute(const std::string& options, const Deadline& deadline);

  TargetProcess& target() { return target_; }
  const TargetFolder& temp() const { return temp_; }  // the JVM's /tmp

 private:
  AgentCall(TargetProcess target, TargetFolder temp, std::string library,
            AgentLibrary::Choice choice)
      : target_(std::move(target)),
        temp_(std::move(temp)),
        library_(std::move(library)),
        choice_(choice) {}

  Outcome<AgentAnswer> ExecuteOnce(const std::string& options, const Deadline& deadline);
  // Loads the agent with the options. Fails if the JVM did not load the agent.
  Outcome<void> Load(const std::string& options, const std::string& answer,
                     const Deadline& deadline);
  Outcome<AgentAnswer> ReadAnswer(const std::string& name) const;

  TargetProcess target_;
  TargetFolder temp_;
  std::string library_;
  AgentLibrary::Choice choice_;
};

}  // namespace jprof
