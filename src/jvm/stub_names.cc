#include "jvm/stub_names.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "sigsafe/os/clock.h"

namespace jprof {

void StubNames::OnDynamicCodeGenerated(jvmtiEnv*, const char* name, const void* start, jint size) {
  if (name == nullptr || size <= 0) return;
  Add(reinterpret_cast<uint64_t>(start), static_cast<uint64_t>(size), name, MonotonicNanos());
}

void StubNames::Add(uint64_t start, uint64_t size, std::string name, Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  if (!replaced_.empty()) now_ns = std::max(now_ns, replaced_.back().to_ns);
  const uint64_t end = start + size;
  const auto known = stubs_.find(start);
  if (known != stubs_.end() && known->second.end == end && known->second.name.name == name) return;
  const bool has_replaced = Replace(start, end, now_ns);
  const Nanos from_ns = has_replaced ? now_ns : std::numeric_limits<Nanos>::min();
  stubs_[start] = {end, {++last_id_, std::move(name)}, from_ns};
}

bool StubNames::Replace(uint64_t start, uint64_t end, Nanos now_ns) {
  auto stub = stubs_.upper_bound(start);
  if (stub != stubs_.begin() && std::prev(stub)->second.end > start) --stub;
  const auto first = stub;
  while (stub != stubs_.end() && stub->first < end) {
    replaced_.push_back({stub->first, std::move(stub->second), now_ns});
    ++stub;
  }
  const bool has_replaced = first != stub;
  stubs_.erase(first, stub);
  while (replaced_.size() > kMaxReplaced) {
    replaced_.pop_front();
    ++dropped_;
  }
  return has_replaced;
}

StubName StubNames::Find(uint64_t pc, Nanos time_ns) const {
  const std::lock_guard lock(mutex_);
  const auto after = std::ranges::upper_bound(replaced_, time_ns, {}, &Replaced::to_ns);
  const auto before = std::find_if(after, replaced_.end(), [=](const Replaced& gone) {
    return gone.start <= pc && pc < gone.stub.end && gone.stub.from_ns <= time_ns;
  });
  if (before != replaced_.end()) return before->stub.name;
  const auto next = stubs_.upper_bound(pc);
  if (next == stubs_.begin()) return {};
  const Stub& stub = std::prev(next)->second;
  return pc < stub.end && stub.from_ns <= time_ns ? stub.name : StubName();
}

uint64_t StubNames::EraAt(Nanos time_ns) const {
  const std::lock_guard lock(mutex_);
  if (replaced_.empty() || replaced_.back().to_ns <= time_ns) return dropped_ + replaced_.size();
  const auto after = std::ranges::upper_bound(replaced_, time_ns, {}, &Replaced::to_ns);
  return dropped_ + static_cast<uint64_t>(after - replaced_.begin());
}

}  // namespace jprof
