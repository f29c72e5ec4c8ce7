#include "libraries/library_log.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/memory_reserve.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {

template <typename T>
class LibraryLog::HandOver {
 public:
  explicit HandOver(size_t room) : room_(room) {}

  // Reserves room for an item. Returns false if there is no room.
  bool Reserve() {
    if (used_.fetch_add(1, std::memory_order_relaxed) < room_) return true;
    used_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  // Adds an item. REQUIRES: Reserve has returned true for it.
  void Add(T item) {
    auto* const node = new Node{std::move(item), last_.load(std::memory_order_relaxed)};
    // release: pairs with the acquire in Take, so that Take reads a complete node.
    while (!last_.compare_exchange_weak(node->before, node, std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
  }

  // Gives back the room that Reserve has reserved. Called in place of Add.
  void GiveUp() { used_.fetch_sub(1, std::memory_order_relaxed); }

  std::vector<T> Take() {
    std::vector<T> items;
    Node* node = last_.exchange(nullptr, std::memory_order_acquire);
    while (node != nullptr) {
      const std::unique_ptr<Node> taken(std::exchange(node, node->before));
      items.push_back(std::move(taken->item));
    }
    used_.fetch_sub(items.size(), std::memory_order_relaxed);
    std::ranges::reverse(items);
    return items;
  }

 private:
  struct Node {
    T item;
    Node* before;
  };

  const size_t room_;
  std::atomic<size_t> used_{0};
  std::atomic<Node*> last_{nullptr};
};

LibraryLog::LibraryLog()
    : looks_(std::make_unique<HandOver<LibraryLook>>(kMaxLooks)),
      files_(std::make_unique<HandOver<OpenedFile>>(kMaxFiles)) {}

LibraryLog& LibraryLog::OfProcess() {
  static auto* const log = new LibraryLog;
  return *log;
}

void LibraryLog::Open() {
  Drop();
  is_open_.store(true, std::memory_order_relaxed);
}

void LibraryLog::Close() { is_open_.store(false, std::memory_order_relaxed); }

void LibraryLog::Drop() {
  static_cast<void>(TakeLooks());
  static_cast<void>(TakeFiles());
}

bool LibraryLog::AcceptsItems() const {
  return is_open_.load(std::memory_order_relaxed) && !InForkedChild() && !MemoryIsShort();
}

bool LibraryLog::Look() {
  if (!AcceptsItems()) return false;
  const ErrnoSaver errno_saver;
  const LoadCounts counts = ReadLoadCounts();
  if (counts.loads == loads_.load(std::memory_order_relaxed) &&
      counts.unloads == unloads_.load(std::memory_order_relaxed)) {
    return false;
  }
  if (!looks_->Reserve()) return true;
  LibraryLook look;
  look.objects = LoadedObjects(&look.counts);
  look.ended_ns = MonotonicNanos();
  loads_.store(look.counts.loads, std::memory_order_relaxed);
  unloads_.store(look.counts.unloads, std::memory_order_relaxed);
  looks_->Add(std::move(look));
  return true;
}

// Opens the file by a system call, because the function of the C library is a cancellation point.
// Without O_NONBLOCK the open of a FIFO would wait for its writer.
void LibraryLog::KeepFile(const char* path) {
  if (path == nullptr || strchr(path, '/') == nullptr || !AcceptsItems()) return;
  const ErrnoSaver errno_saver;
  if (!files_->Reserve()) return;
  const long fd = RawSyscall(SYS_openat, AT_FDCWD, RawArgument(path),
                             O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    files_->GiveUp();
    return;
  }
  files_->Add({path, ScopedFd(static_cast<int>(fd)), MonotonicNanos()});
}

std::vector<LibraryLook> LibraryLog::TakeLooks() { return looks_->Take(); }

std::vector<OpenedFile> LibraryLog::TakeFiles() { return files_->Take(); }

}  // namespace jprof
