#include "sigsafe/stack/root_budget.h"

#include <algorithm>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// The account of the process. The value of an account is the time up to which its share has been
// spent: on the thread's CPU clock for a thread's account, on CLOCK_MONOTONIC for the account of
// the process. relaxed: accounts order no other data.
constinit std::atomic<Nanos> g_process_account{0};

Nanos CreditOf(const std::atomic<Nanos>& account, Nanos share, Nanos now_ns) {
  return std::min((now_ns - account.load(std::memory_order_relaxed)) / share, RootBudget::kMostNs);
}

// Takes the cost from the account. Several threads can use the same credit of the process's account
// before the first of them pays. Then the account is overdrawn, and grants nothing until enough
// time has passed.
void PayFrom(std::atomic<Nanos>& account, Nanos share, Nanos now_ns, Nanos used_ns) {
  const Nanos oldest_ns = now_ns - RootBudget::kMostNs * share;
  Nanos spent_until_ns = account.load(std::memory_order_relaxed);
  if (spent_until_ns < oldest_ns) {  // the exchange fails if another thread has changed the account
    account.compare_exchange_strong(spent_until_ns, oldest_ns, std::memory_order_relaxed);
  }
  account.fetch_add(used_ns * share, std::memory_order_relaxed);
}

}  // namespace

uint32_t RootBudget::GrantFrames() {
  begin_cpu_ns_ = ThreadCpuNanos();
  account_ = &thread_.walk_account_ns;
  share_ = kThreadShare;
  granted_at_ns_ = begin_cpu_ns_;
  Nanos credit_ns = CreditOf(*account_, share_, granted_at_ns_);
  if (credit_ns < kLeastNs) {
    account_ = &g_process_account;
    share_ = kProcessShare;
    granted_at_ns_ = MonotonicNanos();
    credit_ns = CreditOf(*account_, share_, granted_at_ns_);
  }
  if (credit_ns < kLeastNs) {
    account_ = nullptr;
    return 0;
  }
  return static_cast<uint32_t>(credit_ns / kFrameNs);
}

void RootBudget::Pay() {
  if (account_ == nullptr) return;
  PayFrom(*account_, share_, granted_at_ns_, ThreadCpuNanos() - begin_cpu_ns_);
}

}  // namespace jprof
