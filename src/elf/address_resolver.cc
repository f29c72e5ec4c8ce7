#include "elf/address_resolver.h"

#include <algorithm>
#include <utility>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr uint64_t kMaxUpdates = uint64_t{1} << 24;  // 10,000 addresses in 1,600 symbols each

void KeepBetter(const SymbolCandidate& offered, SymbolCandidate* kept) {
  const bool better = kept->rank == 0 || offered.start > kept->start ||
                      (offered.start == kept->start && offered.rank > kept->rank);
  if (better) *kept = offered;
}

}  // namespace

AddressResolver::AddressResolver(std::vector<uint64_t> sorted)
    : addresses_(std::move(sorted)), slots_(addresses_.size()) {}

bool AddressResolver::Add(const SymbolCandidate& symbol) {
  JPROF_CHECK(symbol.rank > 0);
  const auto first = std::ranges::lower_bound(addresses_, symbol.start);
  if (first == addresses_.end()) return true;
  auto i = static_cast<size_t>(first - addresses_.begin());
  KeepBetter(symbol, &slots_[i].preceding);
  for (; i < addresses_.size() && addresses_[i] - symbol.start < symbol.size; ++i) {
    KeepBetter(symbol, &slots_[i].holding);
    if (++updates_ > kMaxUpdates) return false;
  }
  return true;
}

std::vector<SymbolCandidate> AddressResolver::Results() const {
  std::vector<SymbolCandidate> answers;
  answers.reserve(slots_.size());
  SymbolCandidate nearest;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].preceding.rank != 0) nearest = slots_[i].preceding;
    const bool reaches = nearest.size == 0 && addresses_[i] < nearest.section_end;
    if (slots_[i].holding.rank != 0) {
      answers.push_back(slots_[i].holding);
    } else {
      answers.push_back(reaches ? nearest : SymbolCandidate());
    }
  }
  return answers;
}

}  // namespace jprof
