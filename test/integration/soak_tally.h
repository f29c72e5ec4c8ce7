// SoakTally reads the recordings of the program Soak one after another, sums their figures, and
// collects what is wrong in them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "jfr/reader/jfr_reader.h"

namespace jprof::test {

class SoakTally : public profile::JfrVisitor {
 public:
  // Numbers of intervals, including lost ones.
  struct Intervals {
    int64_t cpu = 0;
    int64_t wall = 0;
  };

  bool Wants(const profile::RecordedType& type) override;
  void BeginChunk(profile::JfrChunk& chunk) override;
  void OnEvent(const profile::JfrEvent& event) override;

  int64_t chunks() const { return chunks_; }
  const Intervals& of_short_threads() const { return short_threads_; }
  int64_t cpu() const { return cpu_; }  // intervals of all threads
  // Returns the intervals of all threads except the short ones, by name.
  const std::map<std::string, Intervals>& others() const { return others_; }
  int64_t lost() const { return lost_; }  // lost intervals of cpu and wall, in all threads

  int64_t started() const { return started_; }  // short threads with a start event
  int64_t ended() const { return ended_; }
  // Returns the CPU time in nanoseconds of the profiler's own threads, by name.
  const std::map<std::string, int64_t>& own_threads() const { return own_threads_; }
  // Returns the counters at the end of the last chunk.
  const std::map<std::string, int64_t>& counters() const { return counters_; }

  // Returns how many threads have the name of their creator in a chunk. This happens if the chunk
  // ends before the JVM has announced the thread.
  int64_t foreign_names() const { return foreign_names_; }
  // Returns what is wrong: short threads with a wrong name, threads without a name, threads that
  // started twice.
  const std::set<std::string>& faults() const { return faults_; }

 private:
  // The thread for which a key stands in one chunk.
  struct Thread {
    bool is_short = false;
    int64_t id = 0;
    std::string name;
  };

  const Thread& ThreadOf(const profile::JfrValue& thread);
  void OnSample(const profile::JfrEvent& event, bool is_cpu);
  bool IsLost(const profile::JfrValue& stack);

  int64_t chunks_ = 0;
  Intervals short_threads_;
  int64_t cpu_ = 0;
  int64_t lost_ = 0;
  int64_t started_ = 0;
  int64_t ended_ = 0;
  int64_t foreign_names_ = 0;
  std::map<std::string, Intervals> others_;
  std::map<std::string, int64_t> own_threads_;
  std::map<std::string, int64_t> counters_;
  std::set<std::string> faults_;
  std::vector<bool> has_started_;                 // by Java thread id
  std::unordered_map<uint64_t, Thread> threads_;  // by the thread's key in this chunk
  std::unordered_map<uint64_t, bool> is_lost_;    // by the stack's key in this chunk
};

}  // namespace jprof::test
