// EventSettings: the enabled event types of a recording, their settings, and the sampled kinds.
//
// The recorder fills it before every chunk, for a type may become active later, and calls WriteTo
// at the start of the chunk. It follows JMC's rule: exactly one `enabled`=`true` per event type in
// a file, in the first chunk in which the type is active, while all other settings repeat in every
// chunk. A chunk that could not be sealed does not count. One thread.
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

  // Replaces an earlier value of the same setting. `value` is the text readers expect, e.g. "10 ms"
  // for `period`. REQUIRES: as above.
  void Set(JfrType event, std::string name, std::string value);

  // Samples of `kind` are in the chunk, at this interval. REQUIRES: interval > 0.
  void AddKind(SampleKind kind, int64_t interval) { samples_.Enable(kind, interval); }

  // The kinds in the chunk. Intervals of kinds in earlier chunks stay.
  const SampleSettings& samples() const { return samples_; }

  // Whether the setting has a value since the last BeginChunk.
  bool Has(JfrType event, std::string_view name) const;

  // The types that are enabled or have a setting.
  EventDeclarations Declarations() const;

  // Drops all values; the types stay enabled.
  void BeginChunk() {
    settings_.clear();
    samples_.DisableAll();
  }

  // The next chunk begins another file: each type is enabled there again.
  void BeginFile();

  // Appends one ActiveSetting each. Call once per chunk, before its first sample.
  void WriteTo(JfrWriter& writer, int64_t time_ns);

 private:
  static constexpr int64_t kNever = -1;

  struct Enabled {
    JfrType event;
    int64_t chunk;  // JfrWriter::sealed_chunks() when it was written
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
