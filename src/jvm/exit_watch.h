// ExitWatch announces that the JVM is about to end its own process without the event VMDeath. It
// makes the JVM wait, for at most kPatience, until the recorder has completed the file of the
// recording.
//
//   a thread of the JVM            the recorder
//   exit, _exit, abort ─▶ wrapper ─▶ Announced ─▶ the last chunk ─▶ Report
//                            │ waits, kPatience at most               │
//                         original ◀──────────────────────────────────┘
//
// Before HotSpot throws the first OutOfMemoryError, it calls report_java_out_of_memory (jdk-17+35
// and jdk-25+36 src/hotspot/share/utilities/debug.cpp). In this function the thread that needed
// memory calls exit or _exit with -XX:+ExitOnOutOfMemoryError, and abort with
// -XX:+CrashOnOutOfMemoryError. The command of -XX:OnOutOfMemoryError, which can be a kill -9, is
// started by the VM's thread at a safepoint. JVMTI sends no event before any of these calls. Other
// errors that the VM itself detects end in abort, too.
//
// The thread that waits for the recorder is inside the VM. So from the announcement on, no thread
// of the agent may wait for the VM (VmIsOutOfReach). A recorder that was already inside the VM
// might be held there by a collection until the waiting thread gives up (kPatience). After a
// command has been started the VM continues, and threads of the agent may wait for it again.
//
// Three kinds of ends are not announced: a crash, because its signal handler calls abort with all
// signals blocked; calls by threads of the agent, because they also block all signals; and calls in
// children of fork. JDK 17, however, starts the command in a child of vfork, and this child does
// announce the command: it shares the memory of its parent, so the recorder in the parent process
// sees the announcement, and works while the child waits.
//
// The recording calls Install and the destructor; there is at most one ExitWatch at a time. The
// recorder's thread calls Announced, IsEnd and Report. Any thread can call VmIsOutOfReach. Nothing
// here allocates or locks while the JVM ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "elf/import_hook.h"
#include "sigsafe/base/types.h"

namespace jprof {

// True from an announcement on: a thread inside the VM then waits for the recorder, and another
// thread that enters the VM might wait forever. False again when the VM continues after a command.
bool VmIsOutOfReach();

class ExitWatch {
 public:
  static constexpr Nanos kPatience = 3 * kNanosPerSecond;

  // Puts wrappers into the import slots of libjvm. From now on the recorder must call Report for
  // each announcement. Fails if a slot cannot be written, or if other threads load libraries all
  // the time. `warning` is logged if a thread that ends the JVM has waited for kPatience without a
  // Report.
  static Result<std::unique_ptr<ExitWatch>> Install(std::string warning);

  // Restores the slots and releases the waiting threads. REQUIRES: the recorder has done the work
  // for which these threads wait.
  ~ExitWatch();
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;

  // Returns the number of the last announcement; nullopt if Report has been called for it. IsEnd
  // distinguishes an end from a command.
  static std::optional<uint32_t> Announced();
  // True if the process is ending; false if a command is being started. REQUIRES: called after
  // Announced has returned a number.
  static bool IsEnd();
  // Releases the threads whose announcements have this number or a smaller one.
  static void Report(uint32_t announcement);

 private:
  explicit ExitWatch(std::string warning) : warning_(std::move(warning)) {}

  const std::string warning_;
  std::unique_ptr<ImportHook> imports_;
};

}  // namespace jprof
