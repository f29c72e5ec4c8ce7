// ContextCensus: judges every sample of the program Contexts by what the program itself knows: its
// stack says the marker, its thread the number, its span the root. Streams recordings of any size.
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jfr/reader/jfr_reader.h"

namespace jprof::test {

class ContextCensus final : public profile::JfrVisitor {
 public:
  bool Wants(const profile::RecordedType& type) override;
  void BeginChunk(profile::JfrChunk&) override;
  void OnEvent(const profile::JfrEvent& event) override;

  uint64_t samples() const { return samples_; }
  // Those whose stack says which context they must have.
  uint64_t marked() const { return marked_; }
  uint64_t missing() const { return missing_; }  // of them without context, where there is one
  uint64_t wrong() const { return wrong_; }      // of another span
  // Of all samples with a context.
  uint64_t torn() const { return torn_; }        // the root is not that of the span
  uint64_t foreign() const { return foreign_; }  // of another thread
  // Samples whose context is older than one that their thread had before.
  uint64_t CountStale();
  // Some of them.
  const std::string& faults() const { return faults_; }

 private:
  struct Thread {
    int64_t number = 0;                                   // of "worker-N"
    std::vector<std::pair<int64_t, int64_t>> turns = {};  // by time
  };

  Thread& ThreadOf(const profile::JfrValue& value);
  int MarkerOf(const profile::JfrValue& stack);
  void Fault(uint64_t& count, const char* what, const profile::JfrEvent& event);

  uint64_t samples_ = 0, marked_ = 0, missing_ = 0, wrong_ = 0, torn_ = 0, foreign_ = 0;
  std::string faults_;
  std::map<std::string, Thread> threads_;  // by name
  // Of the chunk, by key.
  std::unordered_map<uint64_t, Thread*> by_key_;
  std::unordered_map<uint64_t, int> markers_;
};

}  // namespace jprof::test
