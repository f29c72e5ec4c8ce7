// UnwindPublisher is the thread that updates the unwind tables of this process when objects are
// loaded and unloaded.
//
// Ten times a second, and soon after RequestCheck, the thread checks whether an object has been
// loaded or unloaded. For the check the thread holds the dynamic linker's lock for a short time.
// After a change it first removes unloaded objects and adds new ones. Once tables are wanted
// (ProcessTables), it compiles those that are missing, the largest object last, and publishes tables
// as they are completed. Before an object is added, a walk through its code uses frame pointers, or
// ends with kNoInformation.
//
// Start and the destructor are called by the sampler; the destructor returns when the thread has
// exited. Update and Totals are called by any thread. Not for signal handlers. Tables are never
// freed, because a signal handler might be reading them (process_tables.h).
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "os/stoppable_thread.h"
#include "unwind/process_tables.h"

namespace jprof {

class UnwindPublisher {
 public:
  // Starts the thread, which fills NativeCode::OfProcess() and calls `after_look` after each check.
  static Result<std::unique_ptr<UnwindPublisher>> Start(std::function<void()> after_look = [] {});

  // Checks and updates on the calling thread. Returns true if an object has been loaded or
  // unloaded.
  static bool Update();

  // Removes unloaded objects, and compiles nothing (ProcessTables::RemoveUnloaded). Called by any
  // thread, including a thread of the program that has just unloaded an object.
  static void RemoveUnloaded();

  // Makes the running publisher check after a millisecond, and then at growing intervals. Called
  // when an object is being loaded or has just been loaded, by any thread, including a thread of
  // the program that holds locks of the program.
  static void RequestCheck();

  // Returns the totals of all tables that have been compiled in this process.
  static UnwindTotals Totals();

  ~UnwindPublisher();

  Tid tid() const { return thread_.tid(); }

 private:
  explicit UnwindPublisher(std::function<void()> after_look) : after_look_(std::move(after_look)) {}

  void Run(const StopEvent& stop);

  const std::function<void()> after_look_;
  StoppableThread thread_;  // last: joined before the members it uses are destroyed
};

}  // namespace jprof
