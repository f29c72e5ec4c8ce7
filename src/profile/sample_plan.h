// SamplePlan: the steps to the fields of an event that make a sample, computed once per type and
// chunk, so that an event costs a handful of steps. Part of ReadSamples; plain value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jfr/format/jfr_types.h"
#include "jfr/reader/jfr_schema.h"
#include "jfr/reader/jfr_value.h"
#include "profile/profile.h"

namespace jprof::profile {

// KnownTypes: the types that samples consist of, found in the schema of a chunk by their names. A
// field is read as a thread, a stack and so on only if it refers to that type: the name of a field
// alone is not trusted. Part of ReadSamples; plain value.
struct KnownTypes {
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  KnownTypes() = default;
  // The first type of each name counts.
  explicit KnownTypes(const JfrSchema& schema);

  // Indices into JfrSchema::types().
  uint32_t thread = kNone;
  uint32_t stack_trace = kNone;
  uint32_t stack_frame = kNone;
  uint32_t method = kNone;
  uint32_t class_type = kNone;
  uint32_t frame_type = kNone;
  uint32_t thread_state = kNone;
};

// The time that a sample covers (sample_kinds.def).
enum class Covers : uint8_t { kMoment, kBefore, kAfter, kSnapshot, kChunk };

// Of events that a sampler takes after so much time, or after so many events of the hardware.
inline constexpr std::string_view kCounted = JfrName(JfrType::kExecutionSample);

// The names of the events of this kind and rank (SAMPLE_SOURCE), joined by " and ".
std::string SourceNames(std::string_view kind, int rank);

// Whether events of the type tell of a snapshot of samples.
bool IsSnapshotMark(std::string_view type);

class SamplePlan {
 public:
  enum Slot : uint8_t {
    kTime,
    kThread,
    kStack,
    kSamples,
    kValue,
    kClass,
    kMethod,
    kState,
    kError,
    kObjectSize,
    kTimeSpan,
    kSlots
  };
  using Values = std::array<uint64_t, kSlots>;

  // A type without samples: not valid().
  SamplePlan() = default;
  // `counter`: what the samples of an event that the hardware counts are called, if it is not time
  // that makes them; empty: none.
  SamplePlan(const JfrSchema& schema, const KnownTypes& types, const RecordedType& type,
             std::string_view counter, Profile& profile);

  bool valid() const { return valid_; }
  // Whether a field that samples need refers to an unexpected type, so that it is not read.
  bool has_misfit() const { return has_misfit_; }
  bool is_beyond_limit() const { return is_beyond_limit_; }  // of the kinds of a profile
  bool has(Slot slot) const { return has_[slot]; }
  uint32_t kind() const { return kind_; }
  bool is_listed() const { return is_listed_; }  // in sample_kinds.def
  Covers covers() const { return covers_; }
  // The place of these events among those that sample the same (SAMPLE_SOURCE), the best is 0;
  // nullopt: no others do.
  std::optional<int> rank() const { return rank_; }
  // The type of events that take the place of these; empty: none.
  std::string_view companion() const { return companion_; }
  bool value_is_ticks() const { return value_is_ticks_; }
  // Whether kValue holds the bits of a floating-point number of objects of the size kObjectSize.
  bool value_is_objects() const { return value_is_objects_; }
  // Whether the kind is of durations that are not known to be ever longer than 0.
  bool may_lack_durations() const { return may_lack_durations_; }

  // Fields that label samples, and the keys of the labels (sample_labels.def).
  struct Label {
    std::string_view field, key;
  };
  const std::vector<Label>& labels() const { return labels_; }
  // Whether there are labels under their own names, and whether a field of the type is one.
  bool has_tags() const { return has_tags_; }
  bool IsTag(const JfrSchema& schema, const JfrField& field) const;

  // The values of the event, 0 for absent fields. False if the event is damaged.
  bool Read(const JfrSchema& schema, ByteCursor fields, Values& values) const;

 private:
  enum class Action : uint8_t {
    kSkipVarints,
    kReadVarint,
    kReadLong,
    kReadInt,
    kReadFloat,
    kSkipField
  };
  struct Step {
    Action action;
    uint8_t slot;
    uint32_t count;         // kSkipVarints
    const JfrField* field;  // kSkipField
  };

  void FindNumber(const JfrSchema& schema, const RecordedType& type, Slot slot,
                  std::string_view name);
  void FindObjects(const JfrSchema& schema, const RecordedType& type, std::string_view name);
  // `target`: the type that the field has to refer to.
  void FindReference(const RecordedType& type, Slot slot, std::string_view name, uint32_t target);
  // A class or a method.
  void FindLeaf(const RecordedType& type, std::string_view name, const KnownTypes& types);
  void FindState(const RecordedType& type, uint32_t target);
  void FindLabels(const JfrSchema& schema, const RecordedType& type);
  void FindTags(const JfrSchema& schema, const RecordedType& type);
  void MakeSteps(const JfrSchema& schema, const RecordedType& type);
  void AddField(const JfrSchema& schema, const RecordedType& type, const JfrField& field, int slot);

  std::vector<Step> steps_;
  std::vector<Label> labels_;
  bool has_tags_ = false;
  const JfrField* last_label_ = nullptr;  // of the table; tags are behind it
  std::array<bool, kSlots> has_{};
  std::array<size_t, kSlots> places_{};  // among the fields of the type
  uint32_t kind_ = 0;
  bool valid_ = false;
  bool has_misfit_ = false;
  bool is_beyond_limit_ = false;
  bool is_listed_ = false;
  Covers covers_ = Covers::kMoment;
  std::string_view companion_;
  std::optional<int> rank_;
  bool value_is_ticks_ = false;
  bool value_is_objects_ = false;
  bool may_lack_durations_ = false;
};

}  // namespace jprof::profile
