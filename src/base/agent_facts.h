// AgentFacts: what the agent tells a program where its text tells a person.
//
// A key is a path of names, joined by dots: jprof --json makes an object of each name but the last.
// A key that ends in [] may come several times, as the elements of one array. Units are in the keys:
// "cost.handlersNs". Not synchronized.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jprof {

struct AgentFact {
  std::string key;
  std::string value;  // any text; of a number its decimal digits
  bool is_number = false;

  bool operator==(const AgentFact&) const = default;
};

class AgentFacts {
 public:
  void Text(std::string key, std::string value) {
    facts_.push_back({std::move(key), std::move(value)});
  }
  void Number(std::string key, uint64_t value) {
    facts_.push_back({std::move(key), std::to_string(value), true});
  }
  void Add(AgentFact fact) { facts_.push_back(std::move(fact)); }

  const std::vector<AgentFact>& all() const { return facts_; }

 private:
  std::vector<AgentFact> facts_;
};

}  // namespace jprof
