// The StackMapTable of a method (JVMS 4.7.4). StackMapReader reads the frames of a table one after
// another. WriteStackMap writes the table of a method with probes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "instrument/add_probes.h"
#include "instrument/bytes.h"
#include "instrument/class_file.h"

namespace jprof::instrument {

// The bounds of frame types in the format.
inline constexpr uint8_t kLastSame = 63;
inline constexpr uint8_t kSameWithStackExtended = 247;
inline constexpr uint8_t kSameExtended = 251;

enum class TypeTag : uint8_t {
  kTop,
  kInteger,
  kFloat,
  kDouble,
  kLong,
  kNull,
  kUninitializedThis,
  kObject,
  kUninitialized,
};

struct VerificationType {
  TypeTag tag = TypeTag::kTop;
  uint16_t operand = 0;  // index of the class (kObject), or bci of the `new` (kUninitialized)
  std::string_view class_name;  // name of the class, if a kObject has no index

  uint32_t Slots() const { return tag == TypeTag::kLong || tag == TypeTag::kDouble ? 2 : 1; }
};

using VerificationTypes = std::vector<VerificationType>;

// Returns the number of slots that the types take together.
uint32_t SlotsOf(const VerificationTypes& types);

// Returns the types of the local variables before the first instruction; nullopt if the descriptor
// of the method is malformed.
std::optional<VerificationTypes> InitialLocals(const Method& method, const ClassFile& file);

class StackMapReader {
 public:
  // The form in which a frame is encoded, relative to the previous frame.
  enum class Form : uint8_t { kSame, kChop, kAppend, kFull };

  // `content` is the content of the attribute. `initial` is the result of InitialLocals.
  StackMapReader(Bytes content, VerificationTypes initial);

  // Reads the next frame. Returns false at the end of the table, and if the table is malformed; in
  // the latter case failed() is true.
  bool Next();

  bool failed() const { return reader_.failed(); }
  uint16_t count() const { return count_; }

  // The functions from here to local_slots describe the frame that Next has read last.
  uint32_t bci() const { return bci_; }
  Form form() const { return form_; }
  size_t difference() const { return difference_; }  // the number of types chopped or appended
  const VerificationTypes& locals() const { return locals_; }
  const VerificationTypes& stack() const { return stack_; }
  uint32_t local_slots() const { return local_slots_; }

 private:
  void ReadForm(uint8_t type);
  VerificationType ReadType();
  void ReadTypes(uint16_t count, VerificationTypes& types);
  void Chop(size_t count);
  void Append(size_t count);

  ByteReader reader_;
  uint16_t count_ = 0;
  uint32_t frames_read_ = 0;
  uint32_t bci_ = 0;
  Form form_ = Form::kSame;
  size_t difference_ = 0;
  VerificationTypes locals_;
  VerificationTypes stack_;
  uint32_t local_slots_ = 0;
};

class Code;
class CodeLayout;
struct ProbePlaces;

// The arguments of WriteStackMap, for one method.
struct StackMapRequest {
  const Method& method;
  const Code& code;
  const ProbePlaces& places;
  const CodeLayout& layout;
  Bytes content;   // content of the attribute in the class file; empty if there is none
  uint32_t token;  // the first local variable that holds the token
  std::optional<uint32_t> handler;  // position of the probes' handler, if any
  size_t max_bytes;
};

// Returns the content of the attribute, or the reason why the method cannot be probed. The content
// is empty if the method needs no stack map.
Result<std::vector<uint8_t>, NotProbed> WriteStackMap(ClassFile& file,
                                                      const StackMapRequest& request);

}  // namespace jprof::instrument
