// Shared parts of the tests of the pthread_create hook: libraries to load and an observer that
// counts.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/imports_of.h"
#include "threads/pthread_hook.h"
#include "threads/thread_creator.h"

namespace jprof::test {

inline constexpr const char* kFlavours[] = {"lazy",  "now",      "norelro",
                                            "noplt", "stripped", "sysv_hash"};

// Creator keeps a library loaded that creates threads. Each instance opens the file of the library
// once more.
class Creator {
 public:
  explicit Creator(const std::string& flavour, int mode = RTLD_LAZY | RTLD_LOCAL)
      : handle_(dlopen(PathOf(flavour).c_str(), mode)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
    pthread = reinterpret_cast<decltype(&CreatePthread)>(dlsym(handle_, "CreatePthread"));
    thrd = reinterpret_cast<decltype(&CreateThrd)>(dlsym(handle_, "CreateThrd"));
  }
  ~Creator() { dlclose(handle_); }
  Creator(const Creator&) = delete;
  Creator& operator=(const Creator&) = delete;

  static std::string PathOf(const std::string& flavour) {
    return std::string(JPROF_THREAD_CREATORS) + "/libthread_creator_" + flavour + ".so";
  }

  // Runs `routine(argument)` in a new thread and joins it; returns its result.
  void* Run(void* (*routine)(void*), void* argument = nullptr,
            const pthread_attr_t* attributes = nullptr) const {
    pthread_t thread;
    void* result = nullptr;
    EXPECT_EQ(pthread(&thread, attributes, routine, argument), 0);
    EXPECT_EQ(pthread_join(thread, &result), 0);
    return result;
  }
  void RunNothing() const {
    Run([](void* argument) { return argument; });
  }

  decltype(&CreatePthread) pthread;
  decltype(&CreateThrd) thrd;

 private:
  void* const handle_;
};

class CountingObserver : public NativeThreadObserver {
 public:
  void OnNativeThreadStart(Nanos) override { starts.fetch_add(1); }
  void OnNativeThreadEnd() override { ends.fetch_add(1); }

  std::atomic<int> starts{0};
  std::atomic<int> ends{0};
};

inline std::unique_ptr<PthreadHook> InstallHook(NativeThreadObserver& observer) {
  Result<std::unique_ptr<PthreadHook>> hook = PthreadHook::Install(&observer, {SIGPROF, SIGVTALRM});
  EXPECT_TRUE(hook) << (hook ? "" : hook.error().message());
  return hook ? std::move(hook).value() : nullptr;
}

// Returns the target of each import slot for pthread_create and thrd_create, by the address of the
// slot.
inline std::map<uintptr_t, uintptr_t> AllSlots(const std::string& path_part = "") {
  struct Search {
    std::string path_part;
    std::map<uintptr_t, uintptr_t> slots;
  } search{path_part, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& found = *static_cast<Search*>(data);
        if (std::string(info->dlpi_name).find(found.path_part) == std::string::npos) return 0;
        static constexpr std::string_view kNames[] = {"pthread_create", "thrd_create"};
        for (const ImportSlot& slot : ImportsOf(*info, kNames)) {
          found.slots[slot.address] = *reinterpret_cast<uintptr_t*>(slot.address);
        }
        return 0;
      },
      &search);
  return search.slots;
}

// Returns the lines of /proc/self/maps that map a file.
inline std::vector<std::string> FileMappings() {
  std::ifstream maps("/proc/self/maps");
  std::vector<std::string> lines;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('/') != std::string::npos) lines.push_back(line);
  }
  return lines;
}

}  // namespace jprof::test
