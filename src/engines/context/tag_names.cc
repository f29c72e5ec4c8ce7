#include "engines/context/tag_names.h"

#include <algorithm>

#include "engines/context/process_context.h"

namespace jprof {

TagNames& TagNames::OfProcess() {
  static auto* const names = new TagNames;  // lives as long as the process
  return *names;
}

std::optional<uint8_t> TagNames::KeyOf(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(names_, name);
  if (known != names_.end()) return static_cast<uint8_t>(known - names_.begin());
  if (names_.size() == kMaxNames || name.size() > kMaxNameBytes) return std::nullopt;
  names_.emplace_back(name);
  ProcessContext::OfProcess().Update(names_);
  return static_cast<uint8_t>(names_.size() - 1);
}

Status TagNames::Publish() const {
  const std::lock_guard lock(mutex_);
  return ProcessContext::OfProcess().Publish(names_);
}

std::vector<std::string> TagNames::All() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

}  // namespace jprof
