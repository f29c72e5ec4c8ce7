#include "profile/hostile_recording.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profile/chunk_builder.h"

namespace jprof::test {
namespace {

constexpr size_t kEvents = 9;                  // events at the start of SoundTypes
constexpr int kMaxDepth = 6;                   // depth of nested structs
constexpr size_t kMaxBytes = size_t{4} << 20;  // bytes of a chunk
constexpr size_t kMaxValues = 100'000;         // values of a chunk; the rest is cut

// A sequence of choices, one byte each. A byte of 0 is the harmless choice.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {
    for (const uint8_t byte : bytes) random_ = (random_ + byte + 1) * 0x9E3779B97F4A7C15ull;
  }

  uint8_t Byte() {
    if (bytes_.empty()) return Random();
    const uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  size_t Below(size_t end) { return end <= 1 ? 0 : Byte() % end; }
  // Returns true in one of `of` cases.
  bool Rarely(size_t of) { return Below(of) == of - 1; }

  // Returns a number that is mostly small, and sometimes the least or greatest number of a width.
  uint64_t Number() {
    static constexpr uint64_t kLimits[] = {0,          1,          0x7F,       0x80,
                                           0x7FFF,     0xFFFF,     0x7FFFFFFF, 0x80000000,
                                           0xFFFFFFFF, 1ull << 53, 1ull << 62, 0x7FFFFFFFFFFFFFFF,
                                           1ull << 63, ~1ull,      ~0ull};
    const uint8_t byte = Byte();
    return byte < 200 ? byte : kLimits[byte % std::size(kLimits)];
  }

 private:
  // Returns the next byte of xorshift64. Always returns 0 if the constructor got no bytes.
  uint8_t Random() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<uint8_t>(random_ >> 32);
  }

  std::span<const uint8_t> bytes_;
  uint64_t random_ = 0;
};

struct Type {
  uint64_t id;
  std::string name, super_type;
  std::vector<BuiltField> fields;
};

constexpr const char* kFieldNames[] = {
    "startTime",  "sampledThread", "eventThread",  "stackTrace", "samples",       "timeSpan",
    "duration",   "objectClass",   "weight",       "frames",     "truncated",     "method",
    "lineNumber", "type",          "name",         "descriptor", "osName",        "osThreadId",
    "javaName",   "virtual",       "monitorClass", "objectSize", "standardError", "age"};
constexpr const char* kTexts[] = {"a/B",
                                  "run",
                                  "()V",
                                  "JIT compiled",
                                  "period",
                                  "10 ms",
                                  "[Ljava/lang/String;",
                                  "[[I",
                                  "()L;",
                                  "[lost: no memory]",
                                  "x;y\nz",
                                  "</script><!--",
                                  "\xF0\x9F\x98\x80",
                                  "\xED\xA0\x80",
                                  "Lambda/0x7f",
                                  ""};

// Returns the types as the JDK declares them. Events have the lower ids.
std::vector<Type> SoundTypes() {
  const BuiltField start{"startTime", kLongId, kPlain, kTimestampId, "TICKS"};
  const BuiltField span{"duration", kLongId, kPlain, kTimespanId, "TICKS"};
  const BuiltField thread{"eventThread", 31, kInPool};
  const BuiltField stack{"stackTrace", 32, kInPool};
  const std::string event = "jdk.jfr.Event";
  const std::vector<BuiltField> allocated = {start,
                                             thread,
                                             stack,
                                             {"objectClass", 35, kInPool},
                                             {"objectSize", kLongId},
                                             {"weight", kLongId},
                                             {"standardError", kLongId}};
  std::vector<BuiltField> surviving = allocated;
  surviving.push_back({"allocationTime", kLongId});
  surviving.push_back({"age", kIntId});
  return {
      {20,
       "jdk.ObjectAllocationSample",
       event,
       {start, thread, stack, {"objectClass", 35, kInPool}, {"weight", kLongId}}},
      {21,
       "profiler.WallClockSample",
       event,
       {start, {"sampledThread", 31, kInPool}, stack, {"samples", kIntId}, {"timeSpan", kLongId}}},
      {22, "demo.Event", event, {start, span, thread, stack}},
      {23,
       "jdk.ActiveSetting",
       event,
       {start, {"id", kLongId}, {"name", kStringId}, {"value", kStringId}}},
      {24,
       "jdk.JVMInformation",
       event,
       {start, {"jvmVersion", kStringId}, {"javaArguments", kStringId}, {"pid", kLongId}}},
      {25, "profiler.AllocatedObject", event, allocated},
      {26, "profiler.SurvivingObject", event, surviving},
      {27, "profiler.LiveSnapshot", event, {start, {"oldCollections", kLongId}}},
      {30, "jdk.ExecutionSample", event, {start, {"sampledThread", 31, kInPool}, stack}},
      {31,
       "java.lang.Thread",
       "",
       {{"osName", kStringId},
        {"osThreadId", kLongId},
        {"javaName", kStringId},
        {"javaThreadId", kLongId},
        {"virtual", kBooleanId}}},
      {32, "jdk.types.StackTrace", "", {{"truncated", kBooleanId}, {"frames", 33, kArray}}},
      {33,
       "jdk.types.StackFrame",
       "",
       {{"method", 34, kInPool}, {"lineNumber", kIntId}, {"type", 37, kInPool}}},
      {34,
       "jdk.types.Method",
       "",
       {{"type", 35, kInPool}, {"name", 36, kInPool}, {"descriptor", 36, kInPool}}},
      {35, "java.lang.Class", "", {{"name", 36, kInPool}}},
      {36, "jdk.types.Symbol", "", {{"string", kStringId}}},
      {37, "jdk.types.FrameType", "", {{"description", kStringId}}},
  };
}

class ChunkMaker {
 public:
  ChunkMaker(Choices& choices, std::vector<Type>& types)
      : choices_(choices), types_(types), chunk_(!choices.Rarely(6)) {}

  std::string Make() {
    for (size_t left = choices_.Below(6); left != 0; --left) Spoil();
    for (const Type& type : types_) chunk_.Type(type.id, type.name, type.super_type, type.fields);
    pools_ = types_;
    if (choices_.Rarely(8)) pools_.push_back({kStringId, "java.lang.String", "", {}});
    if (choices_.Rarely(16)) pools_.push_back({kIntId, "int", "", {}});
    for (const Type& type : pools_) {
      if (type.super_type.empty() || choices_.Rarely(16)) AddConstants(type);
    }
    for (size_t left = 4 + choices_.Below(100); left != 0; --left) AddEvent();
    if (choices_.Rarely(8)) chunk_.start_ticks = choices_.Number();
    if (choices_.Rarely(8)) chunk_.start_epoch_ns = choices_.Number();
    if (choices_.Rarely(8)) chunk_.ticks_per_second = choices_.Number();
    if (choices_.Rarely(8)) chunk_.last_delta = static_cast<int64_t>(choices_.Number());
    if (choices_.Rarely(8)) chunk_.state = 1;
    if (choices_.Rarely(16)) chunk_.LieAboutCount(AnyType(), choices_.Number());
    std::string bytes = chunk_.Build();
    if (choices_.Rarely(12)) OverwriteHeader(bytes);
    return bytes;
  }

 private:
  Type& AnyOf() { return types_[choices_.Below(types_.size())]; }
  uint64_t AnyType() {
    const size_t number = choices_.Below(types_.size() + kLabelId);
    return number < types_.size() ? types_[number].id : kBooleanId + number - types_.size();
  }
  BuiltField AnyField() {
    BuiltField field{kFieldNames[choices_.Below(std::size(kFieldNames))], AnyType()};
    if (!choices_.Rarely(3)) field.flags |= kInPool;
    if (choices_.Rarely(4)) field.flags |= kArray;
    return field;
  }

  // Returns a type for a false reference. It is mostly a type with constants that samples refer to,
  // because the types that are read as parts of samples matter most.
  uint64_t AnyTarget() { return choices_.Rarely(4) ? AnyType() : 31 + choices_.Below(7); }

  // Spoils a field of a type. In at least half of the cases, it is an event type.
  void Spoil() {
    Type& type = choices_.Rarely(2) ? types_[choices_.Below(kEvents)] : AnyOf();
    if (type.fields.empty()) type.fields.push_back(AnyField());
    BuiltField& field = type.fields[choices_.Below(type.fields.size())];
    switch (choices_.Below(12)) {
      case 0:
      case 1:
      case 2:
        field.type = AnyTarget();
        break;
      case 3:
        field.flags ^= kInPool;
        break;
      case 4:
        field.flags ^= kArray;
        break;
      case 5:
        field.name = kFieldNames[choices_.Below(std::size(kFieldNames))];
        break;
      case 6:
        type.name = AnyOf().name;
        break;
      case 7: {  // two types with one name
        Type copy = type;
        copy.id = 40 + types_.size();
        Type& user = AnyOf();
        if (!user.fields.empty()) user.fields[choices_.Below(user.fields.size())].type = copy.id;
        types_.push_back(std::move(copy));
        break;
      }
      case 8:
        type.fields.erase(type.fields.begin() + (&field - type.fields.data()));
        break;
      case 9:
        type.fields.insert(type.fields.begin(), AnyField());
        break;
      case 10:
        std::swap(field, type.fields.front());
        break;
      case 11: {
        const BuiltField copy = field;
        type.fields.insert(type.fields.end(), choices_.Number() % 300, copy);
        break;
      }
      default:
        break;
    }
  }

  const Type* Find(uint64_t id) const {
    const auto found = std::find_if(types_.begin(), types_.end(),
                                    [id](const Type& type) { return type.id == id; });
    return found == types_.end() ? nullptr : &*found;
  }

  void AddConstants(const Type& type) {
    size_t count = 3 + choices_.Below(50);
    if (choices_.Rarely(64)) count *= 30;
    const uint64_t first = choices_.Rarely(8) ? choices_.Number() : 1;
    const uint64_t step = choices_.Rarely(8) ? choices_.Number() : 1;
    for (uint64_t i = 0; i < count && written_ < kMaxBytes; ++i) {
      chunk_.Constant(type.id, first + i * step, [&](Bytes& out) {
        WriteStruct(out, type, 0);
        written_ += out.text().size();
      });
    }
  }

  void AddEvent() {
    const Type& type = AnyOf();
    if (written_ >= kMaxBytes || (type.super_type.empty() && !choices_.Rarely(16))) return;
    chunk_.Event(type.id, [&](Bytes& out) {
      WriteStruct(out, type, 0);
      written_ += out.text().size();
    });
  }

  void WriteStruct(Bytes& out, const Type& type, int depth) {
    if (type.id < 20) return WritePrimitive(out, type.id);
    for (const BuiltField& field : type.fields) WriteField(out, field, depth);
  }

  void WriteField(Bytes& out, const BuiltField& field, int depth) {
    size_t count = 1;
    if ((field.flags & kArray) != 0) {
      count = 1 + choices_.Below(4);
      if (choices_.Rarely(250)) count *= 500;
      out.Int(choices_.Rarely(64) ? choices_.Number() : count);
    }
    for (; count != 0; --count) {
      if (++values_ > kMaxValues) return;
      if ((field.flags & kInPool) != 0) {
        out.Long(choices_.Rarely(8) ? choices_.Number() : 1 + choices_.Below(40));
      } else if (field.type < 20) {
        WritePrimitive(out, field.type);
      } else if (const Type* inner = Find(field.type); inner != nullptr && depth < kMaxDepth) {
        WriteStruct(out, *inner, depth + 1);
      }
    }
  }

  void WritePrimitive(Bytes& out, uint64_t id) {
    switch (id) {
      case kBooleanId:
      case kByteId:
        return out.Byte(choices_.Byte());
      case kCharId:
      case kShortId:
        return out.Short(choices_.Number() & 0xFFFF);
      case kIntId:
        return out.Int(choices_.Number() & 0xFFFFFFFF);
      case kLongId:
        return out.Long(choices_.Number());
      case kFloatId:
        return out.Fixed(choices_.Number(), 4);
      case kDoubleId:
        return out.Fixed(choices_.Number(), 8);
      case kStringId:
        return WriteString(out);
      default:
        return;  // annotations are structs without fields
    }
  }

  void WriteString(Bytes& out) {
    std::string text = kTexts[choices_.Below(std::size(kTexts))];
    if (choices_.Rarely(250)) text.append(choices_.Number() % 100'000, 'x');
    switch (choices_.Below(8)) {
      case 5:
        return out.Byte(choices_.Byte() % 3);  // null, empty, or a reference whose key is missing
      case 6:
        out.Byte(2);
        return out.Long(choices_.Number());
      case 7:
        out.Byte(4 + choices_.Below(2));
        out.Int(text.size());
        for (const char c : text) out.compressed() ? out.Byte(c & 0x7F) : out.Fixed(c & 0x7F, 2);
        return;
      default:
        return out.Utf8(text);
    }
  }

  // Overwrites a field of the header: size, offsets, times, flags.
  void OverwriteHeader(std::string& bytes) {
    const size_t at = 8 + 8 * choices_.Below(7);
    const uint64_t value = choices_.Rarely(2)
                               ? choices_.Number()
                               : bytes.size() - std::min<uint64_t>(choices_.Byte(), bytes.size());
    for (size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * (7 - i)));
  }

  Choices& choices_;
  std::vector<Type>& types_;
  std::vector<Type> pools_;
  ChunkBuilder chunk_;
  size_t written_ = 0;
  size_t values_ = 0;
};

}  // namespace

std::string HostileRecording(std::span<const uint8_t> bytes) {
  Choices choices(bytes);
  std::vector<Type> types = SoundTypes();
  std::string recording;
  for (size_t left = 1 + choices.Below(3); left != 0; --left) {
    if (choices.Rarely(2)) types = SoundTypes();
    recording += ChunkMaker(choices, types).Make();
  }
  return recording;
}

}  // namespace jprof::test
