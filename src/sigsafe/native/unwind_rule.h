// UnwindRule: how to compute the caller's registers from the callee's, for a range of machine code.
//
// Plain data, made by unwind/ from DWARF call frame information, read by NativeCursor. Immutable
// once published. Tracks only the registers that a walk needs: pc, sp, the frame pointer, and one
// more (NativeRegisters::saved).
#pragma once

#include <compare>
#include <cstdint>

namespace jprof {

// The canonical frame address: the caller's sp.
enum class CfaKind : uint8_t {
  kNoInformation,  // no call frame information covers the code
  kUnsupported,    // call frame information in a form that the compiler does not support
  kOutermost,      // no caller: the thread's first frame
  kRegister,       // register + offset
  kAtRegister,     // the word at register + offset, plus cfa_detail
  kPltEntry,       // register + offset, and 8 more from cfa_detail bytes into an entry of 16
};

// The location of the caller's value of a register.
enum class PlaceKind : uint8_t {
  kUnchanged,    // the callee's value
  kAtCfa,        // the word at CFA + offset
  kAtRegister,   // the word at register + offset
  kCfaPlus,      // CFA + offset
  kInRegister,   // the callee's value of another register
  kUndefined,    // not saved. Of a return address: there is no caller
  kNotCompiled,  // in a form that the compiler does not support
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
  uint8_t cfa_register = 0;      // DWARF number
  uint8_t cfa_detail = 0;        // see CfaKind
  int32_t cfa_offset = 0;
  Place return_address;
  Place frame_pointer;
  Place saved;

  friend constexpr auto operator<=>(const UnwindRule&, const UnwindRule&) = default;
};

}  // namespace jprof
