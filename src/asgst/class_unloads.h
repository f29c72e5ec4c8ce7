// ClassUnloads tells tools which classes were unloaded, of those whose methods iterators have met
// (ASGST_RegisterClassUnloadHandler).
//
// While a handler is registered, a thread looks twice a second for classes that are new, and keeps a
// weak reference to each. When the reference is cleared, the handlers are called. No event of the
// JVM tells the identity of an unloaded class.
//
// Thread-safe, not for handlers of signals. There is one object per process; it is never destroyed.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "os/native_thread.h"
#include "profiler/asgst.h"
#include "sigsafe/asgst/api_state.h"

namespace jprof::asgst {

class ClassUnloads {
 public:
  static ClassUnloads& OfProcess();

  // Adds a handler. Returns false if the thread cannot be started, or if there is no use of the API.
  bool Add(ASGST_ClassUnloadHandler handler, void* argument);

  // Removes a handler. Waits until no call of it is running, unless called in a handler. Returns
  // false if there is no such handler.
  bool Remove(ASGST_ClassUnloadHandler handler, void* argument);

 private:
  struct Handler {
    ASGST_ClassUnloadHandler function;
    void* argument;
    friend bool operator==(const Handler&, const Handler&) = default;
  };
  struct MetMethod {
    uint64_t id;
    uint64_t address;
  };
  // The classes that iterators have met. Used by the thread alone.
  struct Classes {
    std::map<uint64_t, std::vector<MetMethod>> met;  // the methods of each class
    std::map<uint64_t, jweak> live;
    std::set<uint64_t> unloaded;
    size_t arena_used = 0;  // of the records when `met` was made
  };

  void Watch();
  void Look(const ApiState& state, JNIEnv* jni, Classes& classes);
  void Report(uint64_t klass, const std::vector<MetMethod>& methods);
  static void ReadRecords(const ApiState& state, Classes& classes);
  void FindNew(const ApiState& state, JNIEnv* jni, Classes& classes);

  std::mutex mutex_;  // guards all below
  std::vector<Handler> handlers_;
  bool is_watching_ = false;
  uint64_t calls_ = 0;       // number of calls of handlers that have ended
  bool is_calling_ = false;  // a handler is being called
  Handler called_{};         // the handler that is being called
};

}  // namespace jprof::asgst
