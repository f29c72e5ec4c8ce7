// UnwindRule: how to compute the caller's registers from the callee's, for a range of machine code.
// UnwindTable: the unwind rules of one range of code, four bytes a row.
//
// Rules track only the registers that a walk needs: pc, sp, the frame pointer, and one more
// (NativeRegisters::saved). The module unwind makes them from DWARF call frame information, and
// NativeCursor reads them. They are immutable once published.
//
// Code is cut into blocks of 512 bytes. A row has the offset in its block from which a rule holds
// (9 bits), and the index of the rule (23 bits). `first_rows` has the index of each block's first
// row, so that a lookup searches only the rows of one block, which take a cache line or two:
//
//   first_rows   | 0 | 3 | 3 | 7 | ...         block = offset / 512
//   rows         | 0:r0 | 4:r1 | 90:r2 | 12:r1 | ...
//   rules        | none | cfa=sp+8 | cfa=sp+16, fp at cfa-16 | ...
//
// A rule holds until the next row, even across blocks.
//
// Find is async-signal-safe. The table is a view: the arrays are made by
// unwind/unwind_table_builder, stay for the life of the process and are in read-only pages.
// Invariants
//  1. rows[0] is at offset 0, so that every offset has a row; rules[0] is kNoInformation.
//  2. The rows of a block ascend.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace jprof {

// The way to compute the canonical frame address (CFA), which is the caller's sp.
enum class CfaKind : uint8_t {
  kNoInformation,  // no call frame information covers the code
  kUnsupported,    // call frame information in a form that the module unwind cannot compile
  kOutermost,      // no caller: the thread's first frame
  kRegister,       // register + offset
  kAtRegister,     // the word in memory at register + offset, plus cfa_detail
  kPltEntry,       // register + offset; plus 8 if pc is at byte cfa_detail or later of a PLT entry
};

// The location of the caller's value of a register.
enum class PlaceKind : uint8_t {
  kUnchanged,    // the same register, which the callee has not changed
  kAtCfa,        // the word in memory at CFA + offset
  kAtRegister,   // the word in memory at register + offset
  kCfaPlus,      // the value CFA + offset
  kInRegister,   // the callee's value of another register
  kUndefined,    // not saved; for a return address: there is no caller
  kNotCompiled,  // a form that the module unwind cannot compile
};

struct Place {
  PlaceKind kind = PlaceKind::kUnchanged;
  uint8_t dwarf_register = 0;
  int32_t offset = 0;

  friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

struct UnwindRule {
  CfaKind cfa = CfaKind::kNoInformation;
  bool is_signal_frame = false;  // the return address is an interrupted instruction
  uint8_t cfa_register = 0;      // DWARF number of the register
  uint8_t cfa_detail = 0;        // meaning depends on the kind (CfaKind)
  int32_t cfa_offset = 0;
  Place return_address;
  Place frame_pointer;
  Place saved;

  friend constexpr auto operator<=>(const UnwindRule&, const UnwindRule&) = default;
};

class UnwindTable {
 public:
  static constexpr uint32_t kBlockBits = 9;
  static constexpr uint32_t kRuleBits = 32 - kBlockBits;
  static constexpr uint32_t kMaxRules = uint32_t{1} << kRuleBits;

  struct Arrays {
    const uint32_t* first_rows;  // index of each block's first row, then the number of rows
    const uint32_t* rows;
    const UnwindRule* rules;
    uint64_t code_size;  // bytes of code; below 2^32
    uint32_t row_count;
    uint32_t rule_count;
  };

  explicit UnwindTable(const Arrays& arrays) : arrays_(arrays) {}

  static constexpr uint32_t Row(uint64_t offset, uint32_t rule) {
    return static_cast<uint32_t>(offset % kBlockSize) << kRuleBits | rule;
  }

  // Returns the rule for the instruction at `offset` from the start of the code. The kind of the
  // rule is kNoInformation if the offset is not below code_size. Reads only within the arrays, even
  // if their content is invalid.
  const UnwindRule& Find(uint64_t offset) const {
    if (offset >= arrays_.code_size) return kNoRule;
    const uint64_t block = offset / kBlockSize;
    const auto place = static_cast<uint32_t>(offset % kBlockSize);
    // Searches the block's rows, at most kBlockSize, for the first row after `offset`.
    uint32_t low = arrays_.first_rows[block];
    uint32_t high = std::min(arrays_.first_rows[block + 1], arrays_.row_count);
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (arrays_.rows[middle] >> kRuleBits <= place) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0 || low > arrays_.row_count) return kNoRule;
    const uint32_t rule = arrays_.rows[low - 1] & (kMaxRules - 1);
    return rule < arrays_.rule_count ? arrays_.rules[rule] : kNoRule;
  }

  uint64_t code_size() const { return arrays_.code_size; }

 private:
  static constexpr uint64_t kBlockSize = uint64_t{1} << kBlockBits;
  static constexpr UnwindRule kNoRule{};

  const Arrays arrays_;
};

}  // namespace jprof
