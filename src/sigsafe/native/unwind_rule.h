// UnwindRule: how the caller's registers follow from the callee's, for a stretch of machine code.
//
// Plain data, made by unwind/ from DWARF call frame information, read by NativeCursor. Immutable
// once published. Of the registers only those are followed that a walk needs: pc, sp, the frame
// pointer, and one more (NativeRegisters::saved).
#pragma once

#include <compare>
#include <cstdint>

namespace jprof {

// The canonical frame address: the caller's sp.
enum class CfaKind : uint8_t {
  kNoInformation,  // no call frame information covers the code
  kUnsupported,    // it does, in a form that is not compiled
  kOutermost,      // nobody called this function: the thread's first frame
  kRegister,       // register + offset
  kAtRegister,     // the word at register + offset, plus cfa_detail
  kPltEntry,       // register + offset, and 8 more from cfa_detail bytes into an entry of 16
};

// What the caller had in a register.
enum class PlaceKind : uint8_t {
  kUnchanged,    // what the callee has
  kAtCfa,        // the word at CFA + offset
  kAtRegister,   // the word at register + offset
  kCfaPlus,      // CFA + offset
  kInRegister,   // what the callee has in another register
  kUndefined,    // nothing: the register was not kept. Of a return address: there is no caller
  kNotCompiled,  // said in a form that is not compiled
};

struct Place {
  PlaceKind kind = PlaceKind::kUnchanged;
  uint8_t dwarf_register = 0;
  int32_t offset = 0;

  friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

struct UnwindRule {
  CfaKind cfa = CfaKind::kNoInformation;
  bool is_signal_frame = false;  // the return address is where a signal struck, not behind a call
  uint8_t cfa_register = 0;      // DWARF number
  uint8_t cfa_detail = 0;        // see CfaKind
  int32_t cfa_offset = 0;
  Place return_address;
  Place frame_pointer;
  Place saved;

  friend constexpr auto operator<=>(const UnwindRule&, const UnwindRule&) = default;
};

}  // namespace jprof
