// LibunwindOracle: walks an InterruptedPoint with libunwind, and reports where libunwind disagrees
// with NativeCursor.
//
// libunwind walks the copy of the stack, through its interface for other processes. It may allocate
// and take locks, because the interrupted thread has continued long before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "elf/library_map.h"
#include "oracle/interrupted_point.h"

namespace jprof::test {

// The results of all comparisons.
struct Agreement {
  size_t points = 0;
  size_t frames = 0;  // compared frames, including the interrupted ones
  size_t rooted = 0;  // points from which NativeCursor walked to kOutermost
  size_t agreed = 0;  // points with the same frames and the same end
  // Points in functions that have a rule for the caller's stack pointer in addition to the CFA,
  // such as longjmp. libunwind takes the CFA for the stack pointer (1.6 src/x86_64/Gregs.c,
  // tdep_access_reg).
  size_t known_faults = 0;
  std::map<std::string, size_t> disagreements;  // disagreeing points by description
  std::map<std::string, size_t> guesses;    // points that agree up to a guess, by the code's name
  std::map<std::string, size_t> libraries;  // points by the interrupted library

  std::string Text() const;
};

class LibunwindOracle {
 public:
  LibunwindOracle();
  ~LibunwindOracle();
  LibunwindOracle(const LibunwindOracle&) = delete;
  LibunwindOracle& operator=(const LibunwindOracle&) = delete;

  // Compares the frames of the point, and adds the result to *agreement.
  void Compare(const InterruptedPoint& point, Agreement* agreement);

  struct Walk;  // data for libunwind's callbacks

 private:
  LibraryMap loaded_;
  void* space_;  // unw_addr_space_t
};

}  // namespace jprof::test
