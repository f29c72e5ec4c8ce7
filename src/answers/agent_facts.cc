#include "answers/agent_facts.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace jprof {

uint64_t NumberOf(const AgentFact& fact) {
  uint64_t number = 0;
  const char* const end = fact.value.data() + fact.value.size();
  const auto [rest, error] = std::from_chars(fact.value.data(), end, number);
  return fact.is_number && error == std::errc() && rest == end ? number : 0;
}

Nanos TimeOf(uint64_t number) {
  constexpr auto kLongest = static_cast<uint64_t>(std::numeric_limits<Nanos>::max());
  return static_cast<Nanos>(std::min(number, kLongest));
}

const AgentFact* AgentFacts::Find(std::string_view key) const {
  const auto found = std::ranges::find(facts_, key, &AgentFact::key);
  return found == facts_.end() ? nullptr : &*found;
}

std::string AgentFacts::Text(std::string_view key) const {
  const AgentFact* const fact = Find(key);
  return fact == nullptr ? std::string() : fact->value;
}

uint64_t AgentFacts::Number(std::string_view key) const {
  const AgentFact* const fact = Find(key);
  return fact == nullptr ? 0 : NumberOf(*fact);
}

Nanos AgentFacts::Time(std::string_view key) const { return TimeOf(Number(key)); }

std::vector<std::string> AgentFacts::Texts(std::string_view key) const {
  std::vector<std::string> texts;
  for (const AgentFact& fact : facts_) {
    if (fact.key == key) texts.push_back(fact.value);
  }
  return texts;
}

}  // namespace jprof
