// Engine: a source of samples. Started and stopped by the session, on any thread, one call at a
// time.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace jprof {

class Engine {
 public:
  virtual ~Engine() = default;

  // Stops every sender and puts the signal's previous action back. When it returns, no further
  // signal is sent; handlers may still be running (the session waits for their guards).
  virtual void Stop() = 0;

  // Now and then, by the task watcher, which does not outlive the engine: what no signal will tell.
  virtual void LookAtThreads() {}

  // For the line at start: "cpu every 10 ms".
  virtual std::string Description() const = 0;
};

}  // namespace jprof
