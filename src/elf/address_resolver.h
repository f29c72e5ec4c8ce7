// AddressResolver: finds the symbol for each of a set of addresses, in one pass over the symbols in
// any order, with memory proportional to the addresses only.
//
// Used by symbol_table, on one thread. Rules, in this order:
//  1. A symbol with a size holds [start, start + size). Of several the innermost wins: the
//     symbol with the highest start.
//  2. A symbol without a size extends to the next symbol or the end of its section.
//  3. Of symbols with equal start the higher rank wins, then the first added.
#pragma once

#include <cstdint>
#include <vector>

namespace jprof {

struct SymbolCandidate {
  uint64_t start = 0;
  uint64_t size = 0;         // 0: unknown
  uint64_t section_end = 0;  // bounds a symbol without a size
  uint64_t name = 0;         // offset in its string table
  uint32_t string_table = 0;
  uint32_t rank = 0;  // 0: no symbol
};

class AddressResolver {
 public:
  // `sorted`: ascending, without duplicates.
  explicit AddressResolver(std::vector<uint64_t> sorted);

  // REQUIRES: symbol.rank > 0. False once the work exceeds that of any sane file: too many symbols
  // overlap.
  [[nodiscard]] bool Add(const SymbolCandidate& symbol);

  // After the last Add: the symbol of each address, in the order of addresses; rank 0: none.
  std::vector<SymbolCandidate> Results() const;

 private:
  struct Slot {
    SymbolCandidate holding;    // rule 1
    SymbolCandidate preceding;  // among those between the previous address and this one
  };

  std::vector<uint64_t> addresses_;
  std::vector<Slot> slots_;  // parallel to addresses_
  uint64_t updates_ = 0;
};

}  // namespace jprof
