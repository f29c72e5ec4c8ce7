#include "engines/validate/exact_times.h"

#include <algorithm>
#include <utility>

#include "os/cpu_clock.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

constexpr int kRunShift = 32;

}  // namespace

ExactTimes& ExactTimes::OfProcess() {
  static auto* const times = new ExactTimes;
  return *times;
}

uint32_t ExactTimes::Begin(bool has_cpu_time) {
  const std::lock_guard lock(mutex_);
  const uint32_t first = first_.load(std::memory_order_relaxed) + kMost;
  first_.store(first, std::memory_order_relaxed);
  methods_.clear();
  numbers_.clear();
  ended_.clear();
  from_ns_ = until_ns_ = 0;
  for (std::atomic<bool>& each : is_left_out_) each.store(false, std::memory_order_relaxed);
  has_cpu_time_.store(has_cpu_time, std::memory_order_relaxed);
  run_.store(++runs_, std::memory_order_release);
  return first;
}

std::optional<uint32_t> ExactTimes::NumberOf(const TracedMethod& method) {
  const std::string names = method.declaring->name + '.' + method.name + method.descriptor;
  const std::lock_guard lock(mutex_);
  const auto known = numbers_.find(names);
  if (known != numbers_.end()) return known->second;
  if (methods_.size() == kMost) return std::nullopt;
  const uint32_t number =
      first_.load(std::memory_order_relaxed) + static_cast<uint32_t>(methods_.size());
  methods_.push_back({.text = method.Text()});
  numbers_.emplace(names, number);
  return number;
}

void ExactTimes::SetProbed(uint32_t number) {
  const std::lock_guard lock(mutex_);
  const size_t index = PlaceOf(number) - 1;
  if (index < methods_.size()) methods_[index].is_probed = true;
}

std::optional<uint32_t> ExactTimes::Find(const std::string& names) const {
  const std::lock_guard lock(mutex_);
  const auto known = numbers_.find(names);
  return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

ThreadClocks ExactTimes::ClocksHere() const {
  const bool has_cpu_time = has_cpu_time_.load(std::memory_order_relaxed);
  return {has_cpu_time ? ThreadCpuNanos() : 0, MonotonicNanos()};
}

// Takes the object of a thread that has ended, if one of two threads has. So the number of objects
// stays within a small multiple of the number of threads that live at a time.
ExactTimes::ThreadCalls* ExactTimes::NewThread() {
  constexpr int kLooks = 2;
  const std::lock_guard lock(threads_mutex_);
  for (int i = 0; i < kLooks && !threads_.empty(); ++i) {
    ThreadCalls& thread = *threads_[next_++ % threads_.size()];
    const std::lock_guard thread_lock(thread.mutex);
    if (TaskCpuNanos(thread.tid) != 0) continue;
    thread.calls.Abandon();
    thread.tid = CurrentTid();
    return &thread;
  }
  threads_.push_back(std::make_unique<ThreadCalls>());
  threads_.back()->tid = CurrentTid();
  return threads_.back().get();
}

ExactTimes::Caller ExactTimes::CallerIn(uint32_t run) {
  static constinit thread_local ThreadCalls* mine = nullptr;
  if (run == 0) return {};
  if (mine == nullptr) mine = NewThread();
  std::unique_lock lock(mine->mutex);
  if (run != run_.load(std::memory_order_relaxed)) return {};
  if (std::exchange(mine->run, run) != run) mine->calls = {};
  return {mine, std::move(lock)};
}

int64_t ExactTimes::Enter(uint32_t number) {
  const uint32_t place = PlaceOf(number);
  const uint32_t run = run_.load(std::memory_order_acquire);
  if (place > kMost) return kNoToken;
  const Caller caller = CallerIn(run);
  if (caller.thread == nullptr || is_left_out_[place].load(std::memory_order_relaxed)) {
    return kNoToken;
  }
  const uint32_t call = caller.thread->calls.Enter(place, [this] { return ClocksHere(); });
  return static_cast<int64_t>(uint64_t{run} << kRunShift | call);
}

bool ExactTimes::Leave(uint32_t number, int64_t token) {
  const Caller caller = CallerIn(static_cast<uint32_t>(static_cast<uint64_t>(token) >> kRunShift));
  if (caller.thread == nullptr) return false;
  OpenCalls& calls = caller.thread->calls;
  calls.Leave(static_cast<uint32_t>(token), [this] { return ClocksHere(); });
  const MethodTime ended = calls.EndedTimeOf(PlaceOf(number));
  const Nanos sum_ns =
      has_cpu_time_.load(std::memory_order_relaxed) ? ended.time.cpu_ns : ended.time.elapsed_ns;
  return ended.calls != 0 && ended.calls % kManyCalls == 0 &&
         sum_ns / static_cast<Nanos>(ended.calls) < kShortCall;
}

template <typename Visit>
void ExactTimes::VisitEach(Visit visit) const {
  const uint32_t run = run_.load(std::memory_order_acquire);
  const bool has_cpu_time = has_cpu_time_.load(std::memory_order_relaxed);
  const std::lock_guard lock(threads_mutex_);
  for (const auto& thread : threads_) {
    const std::lock_guard thread_lock(thread->mutex);
    if (thread->run != run) continue;
    const Nanos cpu_ns = TaskCpuNanos(thread->tid);
    if (cpu_ns == 0) thread->calls.Abandon();
    visit(thread->calls, ThreadClocks{has_cpu_time ? cpu_ns : 0, MonotonicNanos()});
  }
}

void ExactTimes::LeaveOut(uint32_t number, LeftOut reason) {
  const std::lock_guard lock(mutex_);
  const uint32_t place = PlaceOf(number);
  if (place > methods_.size()) return;
  Method& method = methods_[place - 1];
  if (method.left_out != LeftOut::kNo) return;
  method.left_out = reason;
  method.until_ns = MonotonicNanos();
  is_left_out_[place].store(true, std::memory_order_relaxed);
  VisitEach([&](OpenCalls& calls, const ThreadClocks& now) { calls.Drop(place, now); });
}

void ExactTimes::BeginWindow() {
  const std::lock_guard lock(mutex_);
  from_ns_ = MonotonicNanos();
  VisitEach([](OpenCalls& calls, const ThreadClocks& now) { calls.Restart(now); });
}

void ExactTimes::EndWindow() {
  const std::lock_guard lock(mutex_);
  if (until_ns_ != 0) return;
  until_ns_ = MonotonicNanos();
  ended_ = Sums();
  run_.store(0, std::memory_order_release);
}

std::vector<MethodTime> ExactTimes::Sums() const {
  std::vector<MethodTime> sums;
  VisitEach([&](const OpenCalls& calls, const ThreadClocks& now) { calls.AddTo(sums, now); });
  sums.resize(kMost + 1);
  return sums;
}

std::vector<ExactTimes::Row> ExactTimes::Rows() const {
  const std::lock_guard lock(mutex_);
  if (from_ns_ == 0) return {};
  const std::vector<MethodTime> sums = until_ns_ != 0 ? ended_ : Sums();
  const Nanos until_ns = until_ns_ != 0 ? until_ns_ : MonotonicNanos();
  std::vector<Row> rows = {{{}, sums[OpenCalls::kAnyMethod], from_ns_, until_ns}};
  for (size_t i = 0; i < methods_.size(); ++i) {
    const Method& method = methods_[i];
    if (!method.is_probed) continue;
    rows.push_back({method.text, sums[i + 1], from_ns_,
                    method.until_ns != 0 ? std::max(method.until_ns, from_ns_) : until_ns,
                    method.left_out});
  }
  return rows;
}

}  // namespace jprof
