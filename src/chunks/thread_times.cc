#include "chunks/thread_times.h"

#include <optional>
#include <utility>

#include "chunks/thread_constants.h"
#include "jfr/writer/jfr_events.h"
#include "os/cpu_clock.h"
#include "os/process_load.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {

void ThreadTimes::Start() {
  is_started_ = true;
  registry_.AddListener(this);
  ReadAll(Threads::kNew);
}

void ThreadTimes::Stop() {
  if (!std::exchange(is_started_, false)) return;
  registry_.RemoveListener(this);
  ReadAll(Threads::kAll);
  const std::lock_guard lock(mutex_);
  open_.clear();
}

// The counters of a thread that existed before the recording are read by ReadAll, outside the
// registry's lock, because the start of a recording reports all threads at once.
void ThreadTimes::OnThreadStart(ThreadSlot& thread, Observed observed) {
  Piece piece{thread.serial.load(std::memory_order_relaxed),
              thread.tid.load(std::memory_order_relaxed),
              {},
              {},
              &thread};
  const bool is_own = piece.tid == CurrentTid();
  if (observed == Observed::kFromBirth) {
    // A thread that announces its own start has waited for its first processor already. Its time in
    // the run queue counts from 0, so that its first event includes this wait. For a thread that
    // the list of tasks shows, the kernel's counter is read. That counter is still 0 if the thread
    // has not run yet; its first event then includes the wait, too.
    const std::optional<RunQueueCounts> queue = is_own ? std::nullopt : TaskRunQueue(piece.tid);
    piece.from = {MonotonicNanos(), TaskCpuNanos(piece.tid), queue ? queue->waited_ns : 0};
  } else if (is_own) {
    piece.from = Read(piece.tid);
  }
  const std::lock_guard lock(mutex_);
  if (open_.size() <= thread.index) open_.resize(thread.index + 1);
  open_[thread.index] = piece;
}

void ThreadTimes::OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) {
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (open_.size() <= thread.index) return;
  Piece& piece = open_[thread.index];
  if (piece.tid == tid) {
    if (ended_.size() >= kMaxWaiting) ++dropped_;
    Reading now;
    if (end.by == EndedBy::kItself) {
      now = {MonotonicNanos(), ThreadCpuNanos(), end.queued_ns.value_or(piece.from.queued_ns)};
    }
    Advance(piece, now);
  }
  piece = {};
}

ThreadTimes::Reading ThreadTimes::Read(Tid tid) {
  const Nanos time_ns = MonotonicNanos();
  const Nanos cpu_ns = TaskCpuNanos(tid);
  const std::optional<RunQueueCounts> queue = TaskRunQueue(tid);
  return {cpu_ns == 0 ? 0 : time_ns, cpu_ns, queue ? queue->waited_ns : 0};
}

// Reads the files without mutex_. A thread that ends meanwhile adds its last piece itself.
void ThreadTimes::ReadAll(Threads threads) {
  for (size_t i = 0;; ++i) {
    Piece before;
    {
      const std::lock_guard lock(mutex_);
      if (i >= open_.size()) return;
      before = open_[i];
    }
    const bool is_new = before.from.time_ns == 0;
    if (before.serial == 0 || (threads == Threads::kNew && !is_new)) continue;
    const Reading now = Read(before.tid);
    const std::lock_guard lock(mutex_);
    if (open_[i].serial == before.serial) Advance(open_[i], now);
  }
}

// Reads only the CPU clocks. Reading the time in the run queue from its file would take ten times
// as long, so this time is assumed to be unchanged since the start of the piece.
void ThreadTimes::ReadNative() {
  for (size_t i = 0;; ++i) {
    const std::lock_guard lock(mutex_);
    if (i >= open_.size()) return;
    Piece& piece = open_[i];
    if (piece.serial == 0 || piece.from.time_ns == 0) continue;
    if (piece.slot->java_id.load(std::memory_order_relaxed) != 0) continue;
    const Nanos time_ns = MonotonicNanos();
    const Nanos cpu_ns = TaskCpuNanos(piece.tid);
    if (cpu_ns >= piece.from.cpu_ns) piece.to = {time_ns, cpu_ns, piece.from.queued_ns};
  }
}

// Ends the piece at `now`, and begins the next one there. If the counters could not be read,
// because the thread has ended unannounced, the piece ends at the last drain.
void ThreadTimes::Advance(Piece& piece, const Reading& now) {
  if (ended_.size() >= kMaxWaiting) return;
  if (now.time_ns != 0) piece.to = now;
  if (piece.to.time_ns <= piece.from.time_ns) return;
  if (piece.from.time_ns != 0) ended_.push_back(piece);
  piece.from = piece.to;
}

// Writes the events before the samples, while ended threads are still known. The last drain also
// writes the events that BeforeLastDrain has made.
void ThreadTimes::BeforeSamples(OpenChunk& chunk) {
  ReadAll(Threads::kNew);
  ReadNative();
  for (const Piece& piece : Take()) {
    ThreadTime event;
    event.time_ns = piece.from.time_ns;
    event.duration_ns = piece.to.time_ns - piece.from.time_ns;
    event.thread_key = chunk.threads.KeyOf(piece.serial, piece.tid);
    event.cpu_ns = piece.to.cpu_ns - piece.from.cpu_ns;
    event.queued_ns = piece.to.queued_ns - piece.from.queued_ns;
    chunk.writer.Append(event);
  }
}

void ThreadTimes::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  if (dropped_ != 0) writer.Append(Counter{now_ns, "times of ended threads not kept", dropped_});
}

std::vector<ThreadTimes::Piece> ThreadTimes::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ended_, {});
}

uint64_t ThreadTimes::Forget() { return Take().size(); }

}  // namespace jprof
