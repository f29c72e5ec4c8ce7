// LibraryLog passes files and looks from the program's calls to dlopen and dlclose to the
// recorder's thread. The files are those that a wrapper opened before a dlopen. A look is a list of
// the loaded objects at one moment.
//
// Look and KeepFile run on threads of the program, inside calls to dlopen and dlclose, and possibly
// while the thread holds the dynamic linker's lock or a lock of the program. Look and KeepFile take
// no lock of the profiler and preserve errno. They allocate memory, as dlopen and dlclose
// themselves do. One thread calls TakeLooks and TakeFiles, outside signal handlers. Bounded: looks
// beyond kMaxLooks and files beyond kMaxFiles are dropped. The history then relies on the
// recorder's own looks.
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

// The objects that were loaded at one moment during a look. `ended_ns` is the end of the look
// (CLOCK_MONOTONIC).
struct LibraryLook {
  Nanos ended_ns = 0;
  LoadCounts counts;
  std::vector<ObjectCopy> objects;
};

// A file that was opened just before a dlopen of its path.
struct OpenedFile {
  std::string path;  // the path as the program gave it
  ScopedFd fd;
  Nanos opened_ns = 0;
};

class LibraryLog {
 public:
  // The maximum numbers of looks and of files that are kept until TakeLooks and TakeFiles.
  static constexpr size_t kMaxLooks = 256;
  static constexpr size_t kMaxFiles = 64;

  // Returns the instance of the process. It is never destroyed: a thread might be inside a wrapper.
  static LibraryLog& OfProcess();

  // Open() empties the log, and makes it accept looks and files. Close() makes it accept no more.
  // Drop() only empties the log.
  void Open();
  void Close();
  void Drop();

  // Takes a look and returns true if an object was loaded or unloaded since the last look of any
  // thread. Otherwise returns false.
  bool Look();

  // Opens and keeps the file at `path`, the argument of a dlopen. Does nothing if `path` is null or
  // has no '/': without a '/' the dynamic linker searches for the library.
  void KeepFile(const char* path);

  // Return all looks, and all files, the oldest first, and remove them from the log.
  std::vector<LibraryLook> TakeLooks();
  std::vector<OpenedFile> TakeFiles();

 private:
  // A list to which many threads add, and from which one thread takes all items.
  template <typename T>
  class HandOver;

  LibraryLog();
  bool AcceptsItems() const;

  std::atomic<bool> is_open_{false};  // relaxed: only a hint
  // The numbers of objects loaded and unloaded at the last look. Relaxed order is enough: it is
  // harmless if two threads take the same look.
  std::atomic<uint64_t> loads_{0};
  std::atomic<uint64_t> unloads_{0};
  const std::unique_ptr<HandOver<LibraryLook>> looks_;
  const std::unique_ptr<HandOver<OpenedFile>> files_;
};

}  // namespace jprof
