#include "engines/validate/probed_methods.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "audit/method_tokens.h"

namespace jprof {
namespace {

// relaxed: only the number itself matters.
std::atomic<uint32_t> g_next_first{1};

}  // namespace

ProbedMethods::ProbedMethods() : first_(g_next_first.fetch_add(kMost, std::memory_order_relaxed)) {}

std::optional<uint32_t> ProbedMethods::Add(const TracedMethod& method) {
  const std::lock_guard lock(mutex_);
  if (methods_.size() == kMost) return std::nullopt;
  const uint64_t token =
      MethodTokens::TokenOf(method.declaring->name + '.' + method.name + method.descriptor);
  methods_.push_back({method.Text(), token, {}, kFirstInterval});
  return first_ + static_cast<uint32_t>(methods_.size()) - 1;
}

bool ProbedMethods::Has(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return Of(number) != nullptr;
}

void ProbedMethods::SetReport(const instrument::MethodReport& report) {
  const std::lock_guard lock(mutex_);
  ++(report.not_probed ? unprobed_ : probed_);
  methods_[report.id - first_].probe_code = report.probe_code;
}

void ProbedMethods::Learn(uint32_t number, uint64_t id) {
  const std::lock_guard lock(mutex_);
  by_id_[id] = number;
  if (Method* const known = Of(number)) known->has_id = true;
}

void ProbedMethods::Learn(uint32_t number, jmethodID method) {
  const std::lock_guard lock(mutex_);
  by_jmethod_[method] = number;
  if (Method* const known = Of(number)) known->has_jmethod_id = true;
}

bool ProbedMethods::HasId(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const Method* const known = Of(number);
  return known != nullptr && known->has_id;
}

bool ProbedMethods::HasJmethodId(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const Method* const known = Of(number);
  return known != nullptr && known->has_jmethod_id;
}

int32_t ProbedMethods::NextInterval(uint32_t number) {
  const std::lock_guard lock(mutex_);
  Method* const known = Of(number);
  if (known == nullptr) return kLastInterval;
  return std::exchange(known->interval, std::min(2 * known->interval, kLastInterval));
}

uint32_t ProbedMethods::NumberOf(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? 0 : found->second;
}

uint32_t ProbedMethods::NumberOf(jmethodID method) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_jmethod_.find(method);
  return found == by_jmethod_.end() ? 0 : found->second;
}

std::optional<MountRole> ProbedMethods::MountRoleOf(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = mount_roles_.find(id);
  return found == mount_roles_.end() ? std::nullopt : std::optional(found->second);
}

void ProbedMethods::SetMountRole(uint64_t id, MountRole role) {
  const std::lock_guard lock(mutex_);
  mount_roles_[id] = role;
}

bool ProbedMethods::IsInProbes(uint32_t number, int32_t bci) const {
  if (bci < 0) return true;  // the lock of a synchronized method is taken before its first bytecode
  const std::lock_guard lock(mutex_);
  const Method* const known = Of(number);
  if (known == nullptr) return false;
  const auto at = static_cast<uint32_t>(bci);
  return std::ranges::any_of(known->probe_code, [at](const instrument::CodeRange& range) {
    return range.begin <= at && at < range.end;
  });
}

std::string ProbedMethods::TextOf(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const Method* const known = Of(number);
  return known == nullptr ? "?" : known->text;
}

uint64_t ProbedMethods::TokenOf(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const Method* const known = Of(number);
  return known == nullptr ? 0 : known->token;
}

uint32_t ProbedMethods::probed() const {
  const std::lock_guard lock(mutex_);
  return probed_;
}

uint32_t ProbedMethods::unprobed() const {
  const std::lock_guard lock(mutex_);
  return unprobed_;
}

}  // namespace jprof
