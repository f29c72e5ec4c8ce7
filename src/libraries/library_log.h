// LibraryLog: what the program's calls of dlopen and dlclose leave for the recorder's thread.
//
// Look and KeepFile run on threads of the program, inside these calls, perhaps while the thread
// holds the dynamic linker's lock or one of its own. They take no lock; they allocate as the calls
// themselves do; they change no errno. TakeLooks and TakeFiles: one thread, outside handlers.
// Bounded: what has no room is left out, and the recorder's own looks have to do.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/scoped_fd.h"
#include "os/loaded_objects.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The loaded objects at one moment between the begin and `ended_ns` of a look (CLOCK_MONOTONIC).
struct LibraryLook {
  Nanos ended_ns = 0;
  LoadCounts counts;
  std::vector<ObjectCopy> objects;
};

// A file that was opened just before a dlopen of its path.
struct OpenedFile {
  std::string path;  // as the program gave it
  ScopedFd fd;
  Nanos opened_ns = 0;
};

class LibraryLog {
 public:
  static constexpr size_t kMaxLooks = 256;  // between two calls of TakeLooks
  static constexpr size_t kMaxFiles = 64;   // between two calls of TakeFiles

  // The instance of the process. Never destroyed: a thread may be inside a wrapper.
  static LibraryLog& OfProcess();

  // Closed, the log takes nothing more. Open drops what it has.
  void Open();
  void Close();
  void Drop();

  // Lists the loaded objects, if any was loaded or unloaded since the last look of any thread;
  // returns whether.
  bool Look();

  // Opens the file at `path`, which is the argument of a dlopen; nothing if it may be null, or a
  // name that the dynamic linker searches for.
  void KeepFile(const char* path);

  // Oldest first.
  std::vector<LibraryLook> TakeLooks();
  std::vector<OpenedFile> TakeFiles();

 private:
  // A list to which many threads add and from which one takes all.
  template <typename T>
  class HandOver;

  LibraryLog();
  bool TakesMore() const;

  std::atomic<bool> is_open_{false};  // relaxed: a hint
  // Numbers of the last look; relaxed: two threads may both look.
  std::atomic<uint64_t> loads_{0};
  std::atomic<uint64_t> unloads_{0};
  const std::unique_ptr<HandOver<LibraryLook>> looks_;
  const std::unique_ptr<HandOver<OpenedFile>> files_;
};

}  // namespace jprof
