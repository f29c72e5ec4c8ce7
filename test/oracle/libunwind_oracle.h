// LibunwindOracle: walks an InterruptedPoint with libunwind and reports where it disagrees with
// NativeCursor.
//
// libunwind walks the copy of the stack through its interface for other processes. It can allocate
// and lock, because the interrupted thread has long continued.
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
  size_t rooted = 0;  // points that NativeCursor walked to kOutermost
  size_t agreed = 0;  // points with the same frames, ending in the same place
  // Points inside a function that has a rule of its own for the caller's sp besides the CFA
  // (longjmp is one): libunwind takes the CFA for it (1.6 src/x86_64/Gregs.c, tdep_access_reg).
  size_t known_faults = 0;
  std::map<std::string, size_t> disagreements;  // disagreements by class
  std::map<std::string, size_t> guesses;        // points that agree up to code without information
  std::map<std::string, size_t> libraries;      // points by the interrupted library

  std::string Text() const;
};

class LibunwindOracle {
 public:
  LibunwindOracle();
  ~LibunwindOracle();
  LibunwindOracle(const LibunwindOracle&) = delete;
  LibunwindOracle& operator=(const LibunwindOracle&) = delete;

  // Adds the result to `agreement`.
  void Compare(const InterruptedPoint& point, Agreement* agreement);

  struct Walk;  // data for libunwind's callbacks

 private:
  LibraryMap loaded_;
  void* space_;  // unw_addr_space_t
};

}  // namespace jprof::test
