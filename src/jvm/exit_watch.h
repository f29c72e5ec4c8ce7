// ExitWatch: announces that the JVM is about to end its own process without VMDeath, and has the
// JVM wait until the recorder has completed its file.
//
//   a thread of the JVM            the recorder
//   exit, _exit, abort ─▶ wrapper ─▶ Announced ─▶ the last chunk ─▶ Report
//                            │ waits, kPatience at most               │
//                         original ◀──────────────────────────────────┘
//
// HotSpot throws the first OutOfMemoryError after report_java_out_of_memory (jdk-17+35 and
// jdk-25+36 src/hotspot/share/utilities/debug.cpp), and there -XX:+ExitOnOutOfMemoryError calls
// exit or _exit, and -XX:+CrashOnOutOfMemoryError abort, on the thread that wanted memory; the
// command of -XX:OnOutOfMemoryError, which may be a kill -9, is started by the VM's thread at a
// safepoint. No event of JVMTI comes before. Other errors that the VM finds itself end in abort,
// too.
//
// The waiting thread is inside the VM: from the announcement on no thread of the agent may wait for
// the VM (VmIsOutOfReach). A recorder that was inside already may be kept there by a collection
// that others want, until the patience of the waiting thread is over. After a command the VM goes
// on, and is within reach again.
//
// Not announced: a crash, whose signal handler calls abort with all signals blocked, threads of the
// agent, which block them too, and children of fork. A child of vfork (JDK 17 starts the command by
// one) shares our memory and can have its parent's recorder work: it waits as a thread would.
//
// Install and the destructor: by the recording, one object at a time. Announced, IsEnd and Report:
// by the recorder's thread. VmIsOutOfReach: any thread. Nothing here allocates or locks while the
// JVM ends.
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

// Returns true while a thread inside the VM waits for the agent: a thread that enters the VM then
// may wait forever.
bool VmIsOutOfReach();

class ExitWatch {
 public:
  static constexpr Nanos kPatience = 3 * kNanosPerSecond;

  // Puts wrappers into the import slots of libjvm. From now on the recorder has to Report. Fails
  // where a slot gets none, and where other threads load libraries all the time. `warning`: logged
  // where the JVM ends before the last work is done.
  static Result<std::unique_ptr<ExitWatch>> Install(std::string warning);

  // Restores the slots. Threads that wait go on: what they wait for is done.
  ~ExitWatch();
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;

  // Returns the number of the last announcement of an end, or of a command, that has not been
  // reported as done; nullopt: there is none.
  static std::optional<uint32_t> Announced();
  // True if the process ends; else a command begins. REQUIRES: called after Announced has returned
  // a number.
  static bool IsEnd();
  // Lets the threads go on whose announcements have this number or a smaller one.
  static void Report(uint32_t announcement);

 private:
  explicit ExitWatch(std::string warning) : warning_(std::move(warning)) {}

  const std::string warning_;
  std::unique_ptr<ImportHook> imports_;
};

}  // namespace jprof
