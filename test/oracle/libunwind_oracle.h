// LibunwindOracle: walks an InterruptedPoint with libunwind and says where it and NativeCursor
// disagree.
//
// libunwind walks the copy of the stack through its interface for other processes, so that it may
// allocate and lock as it likes while the interrupted thread has long gone on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "elf/library_map.h"
#include "oracle/interrupted_point.h"

namespace jprof::test {

// What came of all comparisons.
struct Agreement {
  size_t points = 0;
  size_t frames = 0;  // compared, the interrupted ones included
  size_t rooted = 0;  // points that NativeCursor walked to kOutermost
  size_t agreed = 0;  // points with the same frames, ending in the same place
  // Points inside a function that says by a rule of its own what the caller's sp is, beside the CFA
  // (longjmp is one): libunwind takes the CFA for it (1.6 src/x86_64/Gregs.c, tdep_access_reg).
  size_t known_faults = 0;
  std::map<std::string, size_t> disagreements;  // by class
  std::map<std::string, size_t> guesses;        // points agreed up to code without information
  std::map<std::string, size_t> libraries;      // points by the library that was interrupted

  std::string Text() const;
};

class LibunwindOracle {
 public:
  LibunwindOracle();
  ~LibunwindOracle();
  LibunwindOracle(const LibunwindOracle&) = delete;
  LibunwindOracle& operator=(const LibunwindOracle&) = delete;

  // Adds to `agreement`.
  void Compare(const InterruptedPoint& point, Agreement* agreement);

  struct Walk;  // what libunwind's callbacks need

 private:
  LibraryMap loaded_;
  void* space_;  // unw_addr_space_t
};

}  // namespace jprof::test
