// EventSettings: the enabled event types of a recording, their settings, and the sampled kinds.
//
// The recorder fills an EventSettings before every chunk, because event types can become active
// while the recording runs, and calls WriteTo at the start of the chunk. WriteTo follows JMC's
// rule: a file has exactly one setting `enabled`=`true` per event type, in the first sealed chunk
// in which the type is active. All other settings are repeated in every chunk. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jfr/format/jfr_types.h"
#include "jfr/writer/event_declarations.h"
#include "sigsafe/base/sample_settings.h"

namespace jprof {

class JfrWriter;

class EventSettings {
 public:
  // REQUIRES: `event` is a declared event type.
  void Enable(JfrType event);

  // Sets or replaces the value of a setting. `value` is the text that readers expect, such as
  // "10 ms" for `period`. REQUIRES: `event` is a declared event type.
  void Set(JfrType event, std::string name, std::string value);

  // States that the chunk has samples of this kind, taken at `interval`. REQUIRES: interval > 0.
  void AddKind(SampleKind kind, int64_t interval) { samples_.Enable(kind, interval); }

  // Returns the kinds of samples in the chunk. A kind that only earlier chunks have is disabled,
  // but keeps its interval.
  const SampleSettings& samples() const { return samples_; }

  // True if Set was called for this setting since the last BeginChunk.
  bool Has(JfrType event, std::string_view name) const;

  // Returns declarations of all event types that are enabled or have a setting.
  EventDeclarations Declarations() const;

  // Removes all settings and kinds; the types stay enabled.
  void BeginChunk() {
    settings_.clear();
    samples_.DisableAll();
  }

  // Called if the next chunk begins another file: makes WriteTo write `enabled` again for each
  // type.
  void BeginFile();

  // Appends an ActiveSetting event for each setting. REQUIRES: called once per chunk, before its
  // first sample.
  void WriteTo(JfrWriter& writer, int64_t time_ns);

 private:
  static constexpr int64_t kNever = -1;

  struct Enabled {
    JfrType event;
    int64_t chunk;  // JfrWriter::sealed_chunks() when `enabled` was written; kNever: not yet
  };
  struct Setting {
    JfrType event;
    std::string name;
    std::string value;
  };

  std::vector<Enabled> enabled_;
  std::vector<Setting> settings_;
  SampleSettings samples_;
};

}  // namespace jprof
