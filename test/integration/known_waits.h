// Waits of the program KnownWaits, compared with what its threads know of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {

// The waits of a kind.
struct KnownWaits {
  size_t waits = 0;
  size_t owned = 0;  // with an owner that is named
  size_t woken = 0;  // with a waker that is named
  size_t wrong = 0;  // of these, those that are others
  std::string errors = {};
  // Of the longest wait of each round: how much longer the program's clock has it; in order.
  std::vector<double> excesses = {};
};

// Whether threads of the kind are parked.
inline bool IsPark(const std::string& kind) { return kind == "reentrant" || kind == "park"; }

class KnownWaitsFixture : public CliTest {
 protected:
  static constexpr size_t kRounds = 10;
  static constexpr size_t kThreads = 10;

  // By kind. `threads`: platform or virtual.
  std::map<std::string, KnownWaits> Compare(const std::string& threads,
                                            const std::vector<std::string>& kinds,
                                            const std::vector<std::string>& jvm_options = {}) const;
};

}  // namespace jprof::test
