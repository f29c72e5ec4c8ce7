// LibraryLog passes what the program's calls to dlopen and dlclose leave to the recorder's thread:
// files that were opened, and looks. A look is a list of the loaded objects at one moment.
//
// Look and KeepFile run on threads of the program, inside these calls, and possibly while the
// thread holds the dynamic linker's lock or a lock of the program. They take no lock of ours,
// allocate as dlopen and dlclose themselves do, and preserve errno. One thread calls TakeLooks and
// TakeFiles, outside signal handlers. Bounded: looks and files beyond kMaxLooks and kMaxFiles are
// dropped. Then the recorder's own looks have to suffice.
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

// The loaded objects at one moment between the start of a look and its end at `ended_ns`
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
  static constexpr size_t kMaxLooks = 256;  // the most looks between two calls of TakeLooks
  static constexpr size_t kMaxFiles = 64;   // the most files between two calls of TakeFiles

  // Returns the instance of the process. It is never destroyed: a thread might be inside a wrapper.
  static LibraryLog& OfProcess();

  // Open drops all looks and files, and accepts new ones. Close accepts no more. Drop drops all.
  void Open();
  void Close();
  void Drop();

  // Takes a look if an object was loaded or unloaded since the last look of any thread; returns
  // true if so.
  bool Look();

  // Opens and keeps the file at `path`, the argument of a dlopen. Does nothing if `path` is null,
  // or has no '/': then the dynamic linker searches for the library.
  void KeepFile(const char* path);

  // Remove and return all looks or files, the oldest first.
  std::vector<LibraryLook> TakeLooks();
  std::vector<OpenedFile> TakeFiles();

 private:
  // A list to which many threads add, and from which one thread takes all items.
  template <typename T>
  class HandOver;

  LibraryLog();
  bool AcceptsItems() const;

  std::atomic<bool> is_open_{false};  // relaxed: only a hint
  // The counts of the last look. Relaxed order is enough: it is harmless if two threads take the
  // same look.
  std::atomic<uint64_t> loads_{0};
  std::atomic<uint64_t> unloads_{0};
  const std::unique_ptr<HandOver<LibraryLook>> looks_;
  const std::unique_ptr<HandOver<OpenedFile>> files_;
};

}  // namespace jprof
