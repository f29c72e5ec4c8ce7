#include "engines/method/traced_methods.h"

#include <algorithm>
#include <utility>

namespace jprof {
namespace {

// Returns a text that no other method has. A zero byte separates the parts of the text, because no
// name contains a zero byte.
std::string IdentityOf(const TracedMethod& method) {
  const ClassInfo& declaring = *method.declaring;
  std::string identity = declaring.name + '\0' + method.name + method.descriptor;
  if (declaring.loader == nullptr) return identity;
  return identity + '\0' + declaring.loader->class_name + '\0' + declaring.loader->name;
}

}  // namespace

std::string TracedMethod::Text() const {
  std::string text = declaring->name;
  std::ranges::replace(text, '/', '.');
  return text + '.' + name + descriptor;
}

TracedMethods& TracedMethods::OfProcess() {
  static auto* const methods = new TracedMethods;
  return *methods;
}

uint32_t TracedMethods::Begin() {
  const std::lock_guard lock(mutex_);
  first_ += static_cast<uint32_t>(entries_.size());
  entries_.clear();
  places_.clear();
  return first_;
}

std::optional<uint32_t> TracedMethods::NumberOf(TracedMethod method) {
  std::string identity = IdentityOf(method);
  const std::lock_guard lock(mutex_);
  const auto known = places_.find(identity);
  if (known != places_.end()) return first_ + known->second;
  if (entries_.size() == kMost) return std::nullopt;
  const auto place = static_cast<uint32_t>(entries_.size());
  places_.emplace(std::move(identity), place);
  entries_.push_back({std::make_shared<const TracedMethod>(std::move(method)), false});
  return first_ + place;
}

void TracedMethods::SetProbed(uint32_t number, bool is_probed) {
  const std::lock_guard lock(mutex_);
  if (number - first_ < entries_.size()) entries_[number - first_].is_probed = is_probed;
}

std::shared_ptr<const TracedMethod> TracedMethods::Find(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return number - first_ < entries_.size() ? entries_[number - first_].method : nullptr;
}

std::vector<uint32_t> TracedMethods::Probed() const {
  const std::lock_guard lock(mutex_);
  std::vector<uint32_t> numbers;
  for (size_t place = 0; place < entries_.size(); ++place) {
    if (entries_[place].is_probed) numbers.push_back(first_ + static_cast<uint32_t>(place));
  }
  return numbers;
}

}  // namespace jprof
