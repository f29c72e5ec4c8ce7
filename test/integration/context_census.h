// ContextCensus: judges every sample of the program Contexts by what the program itself knows. The
// stack determines the marker, the thread determines its number, and the span determines its root.
// Reads recordings of any size as a stream. Used by one thread.
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
  // Returns the number of samples whose stack determines the context that they must have.
  uint64_t marked() const { return marked_; }
  uint64_t missing() const { return missing_; }  // marked samples without a context that have one
  uint64_t wrong() const { return wrong_; }      // marked samples with another span
  // Returns the number of stacks in which a method that cannot call the marked one is its caller.
  uint64_t wrong_callers() const { return wrong_callers_; }
  // Count samples of any stack that have a context.
  uint64_t torn() const { return torn_; }        // samples whose root does not belong to the span
  uint64_t foreign() const { return foreign_; }  // samples with the context of another thread
  // Returns the number of samples whose context is older than one that their thread had before.
  uint64_t CountStale();
  // Returns the descriptions of the first faults.
  const std::string& faults() const { return faults_; }

 private:
  struct Thread {
    int64_t number = 0;                                   // N of "worker-N"
    std::vector<std::pair<int64_t, int64_t>> turns = {};  // time and turn of each sample
  };

  Thread& ThreadOf(const profile::JfrValue& value);
  int MarkerOf(const profile::JfrValue& stack);
  void Fault(uint64_t& count, const char* what, const profile::JfrEvent& event);

  uint64_t samples_ = 0, marked_ = 0, missing_ = 0, wrong_ = 0, wrong_callers_ = 0, torn_ = 0,
           foreign_ = 0;
  std::string faults_;
  std::map<std::string, Thread> threads_;  // threads by name
  // Caches of the current chunk, by key in the constant pool.
  std::unordered_map<uint64_t, Thread*> by_key_;
  std::unordered_map<uint64_t, int> markers_;
};

}  // namespace jprof::test
