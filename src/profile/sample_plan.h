// SamplePlan holds the steps that read the fields of a sample from an event. The steps are computed
// once for each event type of a chunk, so that reading an event takes only a handful of steps.
// KnownTypes holds the types to which the fields of samples refer.
//
// Both classes are plain values and part of ReadSamples.
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

// The types of the values in a sample, found by name in the schema of a chunk. A field is read as a
// thread only if its declared type is `thread`, and as a stack only if its declared type is
// `stack_trace`, whatever its name is.
struct KnownTypes {
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  KnownTypes() = default;
  // If several types have the same name, takes the first.
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

// The type of the samples that are taken at intervals. An interval is a time, or a number of
// hardware events.
inline constexpr std::string_view kCounted = JfrName(JfrType::kExecutionSample);

// Returns the names of the event types with this kind and rank (SAMPLE_SOURCE), joined by " and ".
std::string SourceNames(std::string_view kind, int rank);

// True if events of the type announce a snapshot of samples (SAMPLE_SNAPSHOT).
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

  // Makes the plan for a type whose events are not samples: valid() is false.
  SamplePlan() = default;
  // If the samples of the type kCounted are taken after a number of hardware events, `counter` is
  // the name of the hardware event, and becomes the name of the kind. Otherwise it is empty.
  SamplePlan(const JfrSchema& schema, const KnownTypes& types, const RecordedType& type,
             std::string_view counter, Profile& profile);

  bool valid() const { return valid_; }
  // True if a field of a sample refers to an unexpected type. Such a field is not read.
  bool has_misfit() const { return has_misfit_; }
  // True if the events are not used as samples because the profile already has Profile::kMaxKinds
  // other kinds.
  bool is_beyond_limit() const { return is_beyond_limit_; }
  bool has(Slot slot) const { return has_[slot]; }
  uint32_t kind() const { return kind_; }
  bool is_listed() const { return is_listed_; }  // true if sample_kinds.def has the type
  Covers covers() const { return covers_; }
  // Returns the rank of the type among the types whose events sample the same things (SAMPLE_SOURCE
  // in sample_kinds.def); 0 is the best. Returns nullopt if the type has no such row.
  std::optional<int> rank() const { return rank_; }
  // Returns the name of the type's companion, another type whose events describe the same samples
  // in more detail. If a chunk declares the companion, only the events of the companion are used.
  // Returns "" if there is no companion.
  std::string_view companion() const { return companion_; }
  bool value_is_ticks() const { return value_is_ticks_; }
  // True if kValue holds a number of objects, as the bits of a float, and kObjectSize holds the
  // size of each object.
  bool value_is_objects() const { return value_is_objects_; }
  // True if the kind's values are durations that might all be 0.
  bool may_lack_durations() const { return may_lack_durations_; }

  // A field that labels samples, and the key of the label (sample_labels.def).
  struct Label {
    std::string_view field, key;
  };
  const std::vector<Label>& labels() const { return labels_; }
  // True if the type has tags: fields that are labels under their own names.
  bool has_tags() const { return has_tags_; }
  // True if `field` of the plan's type is a tag. REQUIRES: has_tags().
  bool IsTag(const JfrSchema& schema, const JfrField& field) const;

  // Reads the values of an event. Values of fields that the type lacks stay unchanged. Returns
  // false if the event is damaged.
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
  // The field must refer to the type `target`.
  void FindReference(const RecordedType& type, Slot slot, std::string_view name, uint32_t target);
  // Finds the field with the class or method that becomes the innermost frame of the stack.
  void FindLeaf(const RecordedType& type, std::string_view name, const KnownTypes& types);
  void FindState(const RecordedType& type, uint32_t target);
  void FindLabels(const JfrSchema& schema, const RecordedType& type);
  void FindTags(const JfrSchema& schema, const RecordedType& type);
  void MakeSteps(const JfrSchema& schema, const RecordedType& type);
  void AddField(const JfrSchema& schema, const RecordedType& type, const JfrField& field, int slot);

  std::vector<Step> steps_;
  std::vector<Label> labels_;
  bool has_tags_ = false;
  const JfrField* last_label_ = nullptr;  // last field that is in sample_labels.def
  std::array<bool, kSlots> has_{};
  std::array<size_t, kSlots> places_{};  // indices of fields of the type, by slot
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
