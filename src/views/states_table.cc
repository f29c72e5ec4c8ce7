#include "views/states_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace jprof {
namespace {

void Add(const ThreadLife& life, ThreadLife& all) {
  all.lifetime_ns += life.lifetime_ns;
  for (size_t i = 0; i < kLifeStates; ++i) {
    const StateTime& part = life.states[i];
    StateTime& sum = all.states[i];
    sum.ns += part.ns;
    sum.variance += part.variance;
    if (part.ns > 0) sum.sources |= part.sources;
  }
}

// Returns the error of a time: "exact" or "± 1.2 ms".
Cell ErrorOf(const StateTime& state) {
  const double error_ns = std::sqrt(state.variance);
  if (error_ns == 0) return {"exact", 0};
  return {"± " + profile::TextOf(ValueForm::kDuration, error_ns), error_ns};
}

std::string TextOf(StateSources sources) {
  static constexpr std::pair<StateSources, const char*> kNames[] = {
      {kOfCounters, "counters"},
      {kOfLockEvents, "lock events"},
      {kOfWallSamples, "wall samples"},
      {kOfCpuSamples, "cpu samples"},
      {kOfWaitSums, "wait sums"},
      {kOfProbes, "probes"},
      {kOfRest, "the rest"}};
  std::string text;
  for (const auto& [source, name] : kNames) {
    if ((sources & source) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

void AddRows(const ThreadLife& life, const std::string& name, int64_t id, Table& table) {
  for (size_t i = 0; i < kLifeStates; ++i) {
    const StateTime& state = life.states[i];
    const bool is_rest = i == static_cast<size_t>(LifeState::kUnattributed);
    if (is_rest ? life.lifetime_ns <= 0 : state.ns <= 0) continue;
    table.rows.push_back(
        {ShareCell(state.ns, life.lifetime_ns), NumberCell(ValueForm::kDuration, state.ns),
         ErrorOf(state), TextCell(kLifeStateNames[i]), TextCell(TextOf(state.sources)),
         NumberCell(ValueForm::kDuration, life.lifetime_ns),
         id == 0 ? Cell{} : NumberCell(ValueForm::kNumber, static_cast<double>(id)),
         TextCell(name)});
  }
}

}  // namespace

Table StatesTable(const profile::Profile& profile, std::vector<ThreadLife> lives) {
  Table table;
  table.columns = {{"share", "share", ValueForm::kFraction},
                   {"time", "time", ValueForm::kDuration},
                   {"timeError", "", ValueForm::kDuration},
                   {"state", "state"},
                   {"source", "source"},
                   {"lifetime", "lifetime", ValueForm::kDuration, Cut::kEnd, true},
                   {"id", "tid", ValueForm::kNumber},
                   {"thread", "thread"}};
  std::ranges::stable_sort(lives, [](const ThreadLife& a, const ThreadLife& b) {
    const auto rank = [](const ThreadLife& life) {
      return std::pair(life.is_virtual, life[LifeState::kCpu].ns);
    };
    return rank(a) > rank(b);
  });
  ThreadLife all;
  int64_t count = 0;
  std::string of_virtual;
  for (const ThreadLife& life : lives) {
    if (life.is_virtual) {
      if (life.lifetime_ns > 0) {
        of_virtual = ", " + std::to_string(life.threads) + " virtual threads for " +
                     TextCell(profile::TextOf(ValueForm::kDuration, life.lifetime_ns)).text;
      }
      continue;
    }
    Add(life, all);
    ++count;
  }
  table.title = std::to_string(count) + " threads lived for " +
                TextCell(profile::TextOf(ValueForm::kDuration, all.lifetime_ns)).text + " in all" +
                of_virtual + " within the recording";
  AddRows(all, "[all threads]", 0, table);
  for (const ThreadLife& life : lives) {
    if (life.is_virtual) {
      AddRows(life, "[virtual threads]", 0, table);
    } else {
      AddRows(life, profile.ThreadName(life.thread), profile.threads()[life.thread].id(), table);
    }
  }
  return table;
}

}  // namespace jprof
