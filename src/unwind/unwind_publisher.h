// UnwindPublisher: the thread that keeps the unwind tables of this process in line with the loaded
// objects.
//
// It looks ten times a second whether anything was loaded or unloaded (one short look under the
// linker's lock), removes unloaded objects at once, then compiles new ones, the largest last, and
// publishes them as they get ready. Until then a walk ends in that code with
// kNoInformation. Start and the destructor: by the session; Update: any thread.
//
// Tables stay when a library goes and when the publisher goes: a handler may be reading them
// (process_tables.h).
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "os/stoppable_thread.h"
#include "unwind/process_tables.h"

namespace jprof {

class UnwindPublisher {
 public:
  // Fills NativeCode::OfProcess(). The thread calls `after_look` after each of its looks.
  static Result<std::unique_ptr<UnwindPublisher>> Start(std::function<void()> after_look = [] {});

  // The destructor returns when the thread has exited. Published tables stay.

  // One look, on the calling thread. True if something has changed.
  static bool Update();

  // Of all tables made so far in this process.
  static UnwindTotals Totals();

  Tid tid() const { return thread_.tid(); }

 private:
  explicit UnwindPublisher(std::function<void()> after_look) : after_look_(std::move(after_look)) {}

  void Run(const StopEvent& stop);

  const std::function<void()> after_look_;
  StoppableThread thread_;  // last: joined before the members it uses go
};

}  // namespace jprof
