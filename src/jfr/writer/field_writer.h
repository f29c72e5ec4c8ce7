// FieldWriter writes the fields of one event in the encodings of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "jfr/format/jfr_types.h"
#include "jfr/writer/chunk_clock.h"
#include "jfr/writer/constant_pools.h"
#include "jfr/writer/event_declarations.h"
#include "jfr/writer/jfr_encoder.h"
#include "sigsafe/base/check.h"

namespace jprof {

// One event; the recorder's thread.
class FieldWriter {
 public:
  FieldWriter(JfrEncoder& out, ConstantPools& pools, const ChunkClock& clock)
      : out_(out), pools_(pools), clock_(clock) {}

  // Times are written as they are, those before the start of the chunk or of the file too: what
  // began in an earlier chunk and ended in this one has its true start, as in JDK's files. The
  // first time is that of the event.
  void Time(int64_t monotonic_ns) {
    const int64_t ticks = clock_.Ticks(monotonic_ns);
    if (!ticks_) ticks_ = ticks;
    out_.Long(ticks);
  }
  void Duration(int64_t nanos) { out_.Long(nanos / ChunkClock::kNanosPerTick); }
  void Int(uint32_t value) { out_.Varint(value); }
  void Long(int64_t value) { out_.Long(value); }
  void Float(float value) { out_.Float(value); }
  void Double(double value) { out_.Double(value); }
  void Bool(bool value) { out_.Byte(value ? 1 : 0); }
  void String(std::string_view utf8) { out_.String(utf8); }
  // Begins the appended fields, to EndAppended, as an event begins: readers of fixed fields take them
  // for one.
  void BeginAppended() { appended_start_ = out_.BeginEvent(TypeId(JfrType::kAppended)); }
  void EndAppended() {
    if (appended_start_) out_.EndEvent(*appended_start_);
  }
  void Key(JfrType type, uint32_t key) {
    pools_.Reference(type, key);
    out_.Varint(key);
  }

  // The values of the fields that the recording appends to the event, in order. Missing values are
  // 0 or null.
  void Trailing(std::span<const TrailingField> fields, std::span<const TrailingValue> values) {
    auto next = values.begin();
    for (const TrailingField& field : fields) {
      if (field.type == JfrType::kAppended) {
        BeginAppended();
        continue;
      }
      const TrailingValue value = next != values.end() ? *next++ : TrailingValue(int64_t{0});
      if (field.type == JfrType::kString) {
        String(value.text);
      } else {
        Long(value.number);
      }
    }
  }

  // The event's time as written. REQUIRES: the event has one, and it was written.
  int64_t ticks() const {
    JPROF_CHECK(ticks_);
    return *ticks_;
  }

 private:
  JfrEncoder& out_;
  ConstantPools& pools_;
  const ChunkClock& clock_;
  std::optional<int64_t> ticks_;
  std::optional<size_t> appended_start_;
};

}  // namespace jprof
