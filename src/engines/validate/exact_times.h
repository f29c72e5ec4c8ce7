// ExactTimes: the CPU time and the elapsed time that platform threads spend in chosen methods, as
// probes in the methods measure them (java/TimeProbes.java). Times count in a window, from
// BeginWindow to EndWindow: calls that begin before it or end after it count with their part in it.
//
//   Begin ─ NumberOf, for each method that gets probes ─▶ Enter, Leave, on threads of the program
//     └▶ LeaveOut, BeginWindow ─▶ Rows (...) ─▶ EndWindow ─▶ Rows
//
// There is one object per process, which is never freed, because probes can be called after the
// recording. A number is never used twice in a process, and a token carries the number of its
// recording, so calls that began in an earlier recording are recognised.
//
// Thread-safe; not for handlers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engines/method/traced_methods.h"
#include "engines/validate/open_calls.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Why a method is not compared with its samples, from a time on or at all.
enum class LeftOut : uint8_t {
  kNo,
  kTooShort,      // its calls are so short that probes would take more time than the calls
  kEnteredBefore  // a thread was in the method when the probes came
};

class ExactTimes {
 public:
  // The maximum number of methods of a recording; a thread has a clock for each method that it
  // calls.
  static constexpr uint32_t kMost = 1024;

  static ExactTimes& OfProcess();

  // Forgets the methods and times of the last recording. Returns the first number of this one.
  // Without `has_cpu_time`, all CPU times are 0, and probes make no system call.
  uint32_t Begin(bool has_cpu_time);

  // Returns the number of the method; nullopt if kMost methods have numbers already. A method with
  // the same class name, name and descriptor has the same number.
  std::optional<uint32_t> NumberOf(const TracedMethod& method);
  // Notes that the probes of the method are in its code.
  void SetProbed(uint32_t number);
  // Returns the number of the method with these names ("com/acme/Shop.order(I)V"), if it has one.
  std::optional<uint32_t> Find(const std::string& names) const;

  // Measures the method no longer.
  void LeaveOut(uint32_t number, LeftOut reason);

  void BeginWindow();
  void EndWindow();

  // Called by probes, on the thread of the call. Returns a token for Leave; kNoToken if the call is
  // not measured.
  static constexpr int64_t kNoToken = -1;
  int64_t Enter(uint32_t number);
  // Returns true if the method's calls are so short that it should be left out.
  bool Leave(uint32_t number, int64_t token);

  struct Row {
    std::string method;  // "com.acme.Shop.order(I)V"; empty for all methods together
    MethodTime sum;
    Nanos from_ns = 0;  // the time that was measured
    Nanos until_ns = 0;
    LeftOut left_out = LeftOut::kNo;
  };
  // Returns a row for each method with probes, after a row for all of them together. Returns no
  // rows before BeginWindow.
  std::vector<Row> Rows() const;

 private:
  // After this number of calls of a method on a thread, and after as many further ones, LeaveOut is
  // due if the mean time of a call is below kShortCall, because its probes take about a microsecond
  // for each of these calls, and more where system calls are slow.
  static constexpr uint64_t kManyCalls = 1 << 16;
  static constexpr Nanos kShortCall = 20'000;

  // The calls of a thread. When the thread has ended, another one gets the object.
  struct ThreadCalls {
    std::mutex mutex;  // guards all below
    uint32_t run = 0;  // the recording, by run_
    Tid tid{};
    OpenCalls calls;
  };
  struct Method {
    std::string text;
    bool is_probed = false;
    LeftOut left_out = LeftOut::kNo;
    Nanos until_ns = 0;  // end of the measurement; 0 if it is that of the window
  };

  ExactTimes() = default;

  // The calls of a thread that calls a probe, locked.
  struct Caller {
    ThreadCalls* thread = nullptr;  // nullptr if `run` has ended
    std::unique_lock<std::mutex> lock = {};
  };
  Caller CallerIn(uint32_t run);
  ThreadCalls* NewThread();
  // Calls visit(calls, clocks of the thread) for each thread that has called a method.
  template <typename Visit>
  void VisitEach(Visit visit) const;
  std::vector<MethodTime> Sums() const;
  uint32_t PlaceOf(uint32_t number) const {
    return number - first_.load(std::memory_order_relaxed) + 1;
  }
  ThreadClocks ClocksHere() const;

  std::atomic<uint32_t> run_{0};           // 0 while no times are measured
  std::atomic<bool> has_cpu_time_{false};  // relaxed: run_ publishes it
  std::atomic<uint32_t> first_{1};
  // Indexed by place; relaxed: read with the lock of the thread's calls held, which LeaveOut takes
  // after it has changed the element.
  std::array<std::atomic<bool>, kMost + 1> is_left_out_{};

  // guards the two below; taken before ThreadCalls::mutex
  mutable std::mutex threads_mutex_;
  std::vector<std::unique_ptr<ThreadCalls>> threads_;
  size_t next_ = 0;  // where NewThread looks for a thread that has ended

  // guards all below; taken before threads_mutex_
  mutable std::mutex mutex_;
  uint32_t runs_ = 0;
  std::vector<Method> methods_;  // indexed by place - 1
  std::map<std::string, uint32_t> numbers_;
  Nanos from_ns_ = 0;              // 0 before BeginWindow
  Nanos until_ns_ = 0;             // 0 before EndWindow
  std::vector<MethodTime> ended_;  // the sums at EndWindow
};

}  // namespace jprof
