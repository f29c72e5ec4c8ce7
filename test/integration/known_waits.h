// Compares the waits of the program KnownWaits with what its threads know about them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {

// The waits of one kind of lock.
struct KnownWaits {
  size_t waits = 0;
  size_t owned = 0;  // waits with a named owner
  size_t woken = 0;  // waits with a named waker
  size_t wrong = 0;  // names that are wrong, of owners and wakers
  std::string errors = {};
  // How much longer the program measured the longest wait of each round, in ascending order.
  std::vector<double> excesses = {};
};

// True if threads of the kind park.
inline bool IsPark(const std::string& kind) { return kind == "reentrant" || kind == "park"; }

class KnownWaitsFixture : public CliTest {
 protected:
  static constexpr size_t kRounds = 10;
  static constexpr size_t kThreads = 10;

  // Returns the waits by kind. `threads` is platform or virtual.
  std::map<std::string, KnownWaits> Compare(const std::string& threads,
                                            const std::vector<std::string>& kinds,
                                            const std::vector<std::string>& jvm_options = {}) const;
};

}  // namespace jprof::test
