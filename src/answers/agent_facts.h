// AgentFacts: the record in an answer of the agent.
//
// A key is a path of names, joined by dots: jprof --json makes an object of each name but the last.
// A key that ends in [] may come several times, as the elements of one array. Units are in the keys:
// "cost.handlersNs". Facts that come from another process can be anything. Not synchronized.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

struct AgentFact {
  std::string key;
  std::string value;  // any text; of a number its decimal digits
  bool is_number = false;

  bool operator==(const AgentFact&) const = default;
};

class AgentFacts {
 public:
  void AddText(std::string key, std::string value) {
    facts_.push_back({std::move(key), std::move(value)});
  }
  void AddNumber(std::string key, uint64_t value) {
    facts_.push_back({std::move(key), std::to_string(value), true});
  }
  void Add(AgentFact fact) { facts_.push_back(std::move(fact)); }
  void Remove(std::string_view key) {
    std::erase_if(facts_, [key](const AgentFact& fact) { return fact.key == key; });
  }

  const std::vector<AgentFact>& all() const { return facts_; }
  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  // The first value of the key; empty, or 0, if there is none.
  std::string Text(std::string_view key) const;
  uint64_t Number(std::string_view key) const;
  // The number as a time in nanoseconds, at most the longest one that there is.
  Nanos Time(std::string_view key) const;

  // All values of the key.
  std::vector<std::string> Texts(std::string_view key) const;

 private:
  const AgentFact* Find(std::string_view key) const;

  std::vector<AgentFact> facts_;
};

// Returns the value of the fact; 0 if it is not a number of at most 64 bits.
uint64_t NumberOf(const AgentFact& fact);

// The number as AgentFacts::Time.
Nanos TimeOf(uint64_t number);

}  // namespace jprof
