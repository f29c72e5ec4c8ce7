// AgentFacts: the record in an answer of the agent, as texts and numbers by keys.
//
// A key is a path of names, joined by dots: jprof --json makes an object of each name but the last.
// A key that ends in [] occurs once for each element of an array. Units are in the keys:
// "cost.handlersNs". Facts from another process are not validated. Not synchronized.
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
  std::string value;  // any text, or the decimal digits of a number
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

  // Returns the first value of the key; empty if there is none.
  std::string Text(std::string_view key) const;
  // Returns the first value of the key as a number; 0 if there is none or it is not a number.
  uint64_t Number(std::string_view key) const;
  // Returns Number as a time in nanoseconds, capped at the largest Nanos.
  Nanos Time(std::string_view key) const;

  // Returns all values of the key.
  std::vector<std::string> Texts(std::string_view key) const;

 private:
  const AgentFact* Find(std::string_view key) const;

  std::vector<AgentFact> facts_;
};

// Returns the value of the fact; 0 if it is not a number of at most 64 bits.
uint64_t NumberOf(const AgentFact& fact);

// Returns the number as a time in nanoseconds, capped at the largest Nanos.
Nanos TimeOf(uint64_t number);

}  // namespace jprof
