// Compares the waits that a recording of the program KnownWaits has with what its threads know
// about them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {

// Sums over the waits for one kind of lock.
struct KnownWaits {
  size_t waits = 0;
  size_t owned = 0;  // waits with a named owner
  size_t woken = 0;  // waits with a named waker
  size_t wrong = 0;  // wrong names, of owners or wakers
  std::string errors = {};
  // For the longest wait of each round, the time that the program measured minus ours; in ascending
  // order, in nanoseconds.
  std::vector<double> excesses = {};
};

// True if threads that wait for this kind of lock park.
inline bool IsPark(const std::string& kind) { return kind == "reentrant" || kind == "park"; }

class KnownWaitsFixture : public CliTest {
 protected:
  static constexpr size_t kRounds = 10;
  static constexpr size_t kThreads = 10;

  // Runs KnownWaits and returns its waits by kind. `threads` is "platform" or "virtual".
  std::map<std::string, KnownWaits> Compare(const std::string& threads,
                                            const std::vector<std::string>& kinds,
                                            const std::vector<std::string>& jvm_options = {}) const;
};

}  // namespace jprof::test
