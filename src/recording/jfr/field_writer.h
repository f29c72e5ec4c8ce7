// FieldWriter writes the fields of an event in the encodings of the file. FieldSequence stands in
// for it at compile time and compares the fields of an event struct with its block in
// jfr_types.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "recording/jfr/chunk_clock.h"
#include "recording/jfr/constant_pools.h"
#include "recording/jfr/jfr_encoder.h"
#include "recording/jfr/jfr_types.h"

namespace jprof {

// One event; the recorder's thread. Times before the start of the chunk are moved to it.
class FieldWriter {
 public:
  FieldWriter(JfrEncoder& out, ConstantPools& pools, const ChunkClock& clock, int64_t start_ticks)
      : out_(out), pools_(pools), clock_(clock), ticks_(start_ticks) {}

  void Time(int64_t monotonic_ns) {
    const int64_t ticks = clock_.Ticks(monotonic_ns);
    if (ticks > ticks_) ticks_ = ticks;
    out_.Long(ticks_);
  }
  void Duration(int64_t nanos) { out_.Long(nanos / ChunkClock::kNanosPerTick); }
  void Int(uint32_t value) { out_.Varint(value); }
  void Long(int64_t value) { out_.Long(value); }
  void Float(float value) { out_.Float(value); }
  void Bool(bool value) { out_.Byte(value ? 1 : 0); }
  void String(std::string_view utf8) { out_.String(utf8); }
  void Key(JfrType type, uint32_t key) {
    pools_.Reference(type, key);
    out_.Varint(key);
  }

  // What follows, until the fields of `type` are over, are those fields, inline.
  void Struct(JfrType /*type*/) {}

  // The event's time as written.
  int64_t ticks() const { return ticks_; }

 private:
  JfrEncoder& out_;
  ConstantPools& pools_;
  const ChunkClock& clock_;
  int64_t ticks_;
};

class FieldSequence {
 public:
  constexpr explicit FieldSequence(JfrType event) : next_(FirstField(event)) {}

  constexpr void Time(int64_t) { Expect(JfrType::kLong, JfrStorage::kInline, IsTime()); }
  constexpr void Duration(int64_t) { Expect(JfrType::kLong, JfrStorage::kInline, IsSpan()); }
  constexpr void Int(uint32_t) { Expect(JfrType::kInt, JfrStorage::kInline, true); }
  constexpr void Long(int64_t) {
    Expect(JfrType::kLong, JfrStorage::kInline, !IsTime() && !IsSpan());
  }
  constexpr void Float(float) { Expect(JfrType::kFloat, JfrStorage::kInline, true); }
  constexpr void Bool(bool) { Expect(JfrType::kBoolean, JfrStorage::kInline, true); }
  constexpr void String(std::string_view) { Expect(JfrType::kString, JfrStorage::kInline, true); }
  constexpr void Key(JfrType type, uint32_t) { Expect(type, JfrStorage::kPool, true); }
  constexpr void Struct(JfrType type) {
    Expect(type, JfrStorage::kInline, true);
    outer_ = next_;
    next_ = FirstField(type);
  }

  // All fields of the table were seen, in its order and with its types, and no others.
  constexpr bool Matches() const {
    const bool struct_is_over = outer_ != kNoRow && !IsField(next_);
    return matches_ && !IsField(struct_is_over ? outer_ : next_);
  }

 private:
  constexpr void LeaveStructAtItsEnd() {
    if (outer_ == kNoRow || IsField(next_)) return;
    next_ = outer_;
    outer_ = kNoRow;
  }
  // Rows by number: with UBSan, GCC 12 does not evaluate comparisons of pointers to them.
  static constexpr size_t kNoRow = ~size_t{0};
  static constexpr size_t FirstField(JfrType type) { return RowNumber(type) + 1; }
  static constexpr bool IsField(size_t row) {
    return row < std::size(kJfrTypeTable) && kJfrTypeTable[row].kind == JfrKind::kField;
  }
  constexpr bool HasNext() const { return IsField(next_); }
  constexpr bool IsTime() const {
    return HasNext() && kJfrTypeTable[next_].meaning == JfrMeaning::kTicks;
  }
  constexpr bool IsSpan() const {
    return HasNext() && kJfrTypeTable[next_].meaning == JfrMeaning::kTickSpan;
  }
  constexpr void Expect(JfrType type, JfrStorage storage, bool meaning_fits) {
    LeaveStructAtItsEnd();
    matches_ = matches_ && HasNext() && kJfrTypeTable[next_].type == type &&
               kJfrTypeTable[next_].storage == storage && meaning_fits;
    if (HasNext()) ++next_;
  }

  size_t next_;
  size_t outer_ = kNoRow;  // inside a struct: where it goes on behind it
  bool matches_ = true;
};

template <class Event>
constexpr bool WritesItsDeclaredFields() {
  FieldSequence sequence(Event::kType);
  Event().Fields(sequence);
  return sequence.Matches();
}

}  // namespace jprof
