// QueueService registers queues (sigsafe/asgst/queue.h), and processes them on helper threads.
//
// There are at most kMaxHelpers helper threads. While a helper runs a handler, another one looks at
// the other queues. Helpers end when there are no queues.
//
// Thread-safe, not for handlers of signals. There is one object per process; it is never destroyed.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "os/pages.h"
#include "profiler/asgst.h"
#include "sigsafe/asgst/queue.h"
#include "sigsafe/base/types.h"

namespace jprof::asgst {

class QueueService {
 public:
  static constexpr int kMaxHelpers = 4;

  static QueueService& OfProcess();

  // The thread for which a queue is registered.
  struct Owner {
    uint64_t java_thread;
    Tid tid;
  };

  // Registers a queue. Returns nullptr if memory or threads are short, or all queues are in use.
  Queue* Register(const Owner& owner, int32_t capacity, int32_t options, ASGST_Handler handler,
                  void* argument);

  // Removes a queue (ASGST_DeregisterQueue). Returns false if it is not registered.
  bool Deregister(const void* queue);

  // A function that is called before or after the processing.
  struct Processing {
    ASGST_OnQueueSafepointHandler handler = nullptr;
    bool offers_iterator = false;
    void* argument = nullptr;
  };

  // Sets the function that is called before (`at_end` is false) or after the processing. Returns
  // false if the queue is not registered.
  bool SetProcessing(const void* queue, bool at_end, const Processing& processing);

 private:
  struct Row {
    bool is_used = false;
    bool is_busy = false;  // a helper processes the queue
    bool is_closing = false;
    bool is_draining = false;  // the buffer `drained` is not active any more
    uint32_t drained = 0;
    uint64_t generation = 0;  // number of removals
    Tid tid{0};
    ASGST_Handler handler = nullptr;
    void* argument = nullptr;
    Processing before;
    Processing after;
    std::optional<Pages> memory[2];
    // Memory of a buffer before it was resized. The owner might still write to an element there.
    std::vector<Pages> retired;
  };
  // The parts of a row that a helper uses while the row is busy.
  struct Task {
    size_t index;
    Tid tid;
    ASGST_Handler handler;
    void* argument;
    Processing before;
    Processing after;
    bool is_closing;
  };

  bool StartHelper();
  void Help();
  std::optional<Task> TakeReady();
  void CloseEnded();
  bool IsReady(size_t index) const;
  // Processes a queue. Returns true if nothing is left of a queue that is closing.
  bool Process(const Task& task);
  bool Flip(Row& row, Queue& queue);
  static bool AwaitOwner(const Queue& queue);
  static void WalkLater(Tid tid, const Queue& queue, QueueBuffer& buffer);
  static void CallHandlers(const Task& task, Queue& queue, QueueBuffer& buffer);
  bool Prepare(Row& row, Queue& queue, uint32_t buffer);
  bool Reserve(Row& row, Queue& queue, uint32_t buffer, int32_t capacity);
  void Free(size_t index);

  std::mutex mutex_;  // guards all below, but not the memory of a busy row
  std::array<Row, kMaxQueues> rows_;
  size_t limit_ = 0;  // rows from this one on have never been used
  size_t next_ = 0;   // row at which the next search begins
  size_t used_ = 0;
  size_t approximate_ = 0;  // queues whose elements are walked later
  int helpers_ = 0;
  int idle_ = 0;         // helpers that look for queues
  Nanos looked_ns_ = 0;  // when the owners were last looked for
};

}  // namespace jprof::asgst
