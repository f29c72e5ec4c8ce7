// ChunkNames maps keys in the events of one chunk to numbers in the profile. The keys are those of
// threads, stacks, methods, classes and thread states. Each key is decoded when it is first used in
// the chunk; the results are kept in tables (ConstantNumbers), one for each purpose.
//
// Part of ReadSamples; not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jfr/reader/jfr_constants.h"
#include "jfr/reader/jfr_value.h"
#include "profile/profile.h"
#include "profile/sample_plan.h"

namespace jprof::profile {

// Maps the constants of one type to numbers for one purpose, such as the numbers of threads in the
// profile. Each purpose has its own table. So the number of a thread cannot be taken for the number
// of a stack, even if the file declares wrong types.
class ConstantNumbers {
 public:
  // REQUIRES: `constants` is sealed and outlives this.
  ConstantNumbers(const JfrConstants& constants, uint32_t type)
      : constants_(constants), type_(type) {}

  uint32_t type() const { return type_; }

  // Returns a pointer to the number of the constant, plus 1; 0 means that the constant has no
  // number yet. Returns nullptr if the chunk does not have the constant. The pointer is valid until
  // the next call.
  uint32_t* PlaceOf(uint64_t key) {
    const uint32_t number = constants_.NumberOf(type_, key);
    if (number == 0) return nullptr;
    if (numbers_.empty()) numbers_.resize(constants_.CountOf(type_));
    return &numbers_[number - 1];
  }

  // Removes the numbers of all constants.
  void Clear() { numbers_.clear(); }

 private:
  const JfrConstants& constants_;
  const uint32_t type_;
  std::vector<uint32_t> numbers_;  // indexed by JfrConstants::NumberOf
};

class ChunkNames {
 public:
  // REQUIRES: `chunk` and `profile` outlive the object.
  ChunkNames(const JfrChunk& chunk, const KnownTypes& types, Profile& profile, LineNumbers lines);

  // Returns the number of the thread with this key (of the type KnownTypes::thread); NoThread() if
  // the chunk does not define the key.
  uint32_t Thread(uint64_t key);
  // Returns the number of the stack with this key (of the type KnownTypes::stack_trace). If the
  // chunk does not define the key, returns a stack that consists of a placeholder, and counts the
  // stack as missing unless the key is 0.
  uint32_t Stack(uint64_t key);
  // Returns the number of the stack with this key; nullopt if the chunk does not define the key.
  std::optional<uint32_t> KnownStack(uint64_t key);
  // Does the counting of Stack without decoding the stack.
  void CheckStack(uint64_t key);
  // Forgets the numbers of all stacks. Called after Profile::ForgetStacks, which makes the numbers
  // invalid. A stack that is used again is decoded again.
  void ForgetStacks();
  // Returns the number in Profile::states for this key (of the type KnownTypes::thread_state); 0 if
  // the chunk does not define the key.
  uint32_t State(uint64_t key);
  // Returns `stack` with the class of this key (KnownTypes::class_type) as its innermost frame.
  uint32_t WithClass(uint32_t stack, uint64_t key);
  // Returns `stack` with the method of this key (KnownTypes::method) as its innermost frame.
  uint32_t WithMethod(uint32_t stack, uint64_t key);

  // Returns the number of the entry for unknown threads, which has no names and no ids.
  uint32_t NoThread();

  // The number of references to stacks that are missing in the chunk.
  int64_t missing_stacks() const { return missing_stacks_; }

  // True if frames can be read. Otherwise all stacks consist of a placeholder.
  bool has_frames() const { return stack_.frames >= 0; }

 private:
  // Indices of fields; -1 if there is no field with this name and the right type.
  struct StackFields {
    int truncated = -1, frames = -1;
  };
  struct FrameFields {
    int method = -1, line = -1, type = -1;
  };

  void FindFields(const KnownTypes& types);
  uint32_t DecodeStack(uint64_t key);
  // True if the outermost of frames_ is the placeholder for a root that was not walked.
  bool EndsInRootMark() const;
  // Adds frames_ below `node`. Returns the node of the innermost frame.
  uint32_t WithFrames(uint32_t node);
  void ReadFrames(ByteCursor cursor, bool* truncated);
  uint32_t ReadFrame(ByteCursor& cursor);
  uint32_t Method(uint64_t key);
  FrameKind Kind(uint64_t key);
  // Returns the number of a method entry for a class: its owner is the package, and its name is the
  // simple name of the class.
  uint32_t ClassAsMethod(uint64_t key);
  uint32_t MarkerFrame(std::string_view text);

  const JfrChunk& chunk_;
  Profile& profile_;
  const LineNumbers lines_;
  int64_t missing_stacks_ = 0;
  const RecordedType* stack_type_ = nullptr;
  const RecordedType* frame_type_ = nullptr;
  StackFields stack_;
  FrameFields frame_;
  ConstantNumbers threads_, stacks_, methods_, classes_, kinds_, states_;
  std::array<uint8_t, 32> low_kinds_{};  // kind + 1 by key of the frame type; 0 if not looked up
  std::vector<uint32_t> frames_;         // frames of the stack being decoded, innermost first
  uint32_t last_root_ = CallTree::kRoot;
  std::vector<uint32_t> last_path_;  // nodes of the previous stack below last_root_
  uint32_t no_thread_ = 0;           // number of NoThread(), plus 1; 0 if not added yet
};

}  // namespace jprof::profile
