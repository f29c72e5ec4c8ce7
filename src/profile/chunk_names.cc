#include "profile/chunk_names.h"

#include <algorithm>

#include "base/placeholders.h"
#include "profile/class_text.h"

namespace jprof::profile {
namespace {

constexpr std::string_view kNativeDescriptor = "()L;";
constexpr std::string_view kKernelDescriptor = "(Lk;)L;";
// True for a placeholder in place of a symbol, such as "[lost: no memory]".
bool IsMarker(std::string_view name) { return name.starts_with('['); }

}  // namespace

ChunkNames::ChunkNames(const JfrChunk& chunk, const KnownTypes& types, Profile& profile,
                       LineNumbers lines)
    : chunk_(chunk),
      profile_(profile),
      lines_(lines),
      threads_(chunk.constants, types.thread),
      stacks_(chunk.constants, types.stack_trace),
      methods_(chunk.constants, types.method),
      classes_(chunk.constants, types.class_type),
      kinds_(chunk.constants, types.frame_type),
      states_(chunk.constants, types.thread_state) {
  FindFields(types);
}

void ChunkNames::FindFields(const KnownTypes& types) {
  const JfrSchema& schema = chunk_.schema;
  if (types.stack_trace == KnownTypes::kNone || types.stack_frame == KnownTypes::kNone) return;
  stack_type_ = &schema.type(types.stack_trace);
  frame_type_ = &schema.type(types.stack_frame);
  if (!stack_type_->is_readable) return;
  const auto find = [](const RecordedType& type, std::string_view name, const auto& fits) {
    const int index = type.IndexOf(name);
    return index >= 0 && fits(type.fields[static_cast<size_t>(index)]) ? index : -1;
  };
  const auto refers_to = [](uint32_t type) {
    return [type](const JfrField& field) { return field.IsReferenceTo(type); };
  };
  const auto holds = [&schema](JfrPrimitive primitive) {
    return [&schema, primitive](const JfrField& field) {
      return !field.in_pool && !field.is_array && schema.type(field.type).primitive == primitive;
    };
  };
  frame_.method = find(*frame_type_, "method", refers_to(types.method));
  frame_.type = find(*frame_type_, "type", refers_to(types.frame_type));
  frame_.line = find(*frame_type_, "lineNumber", holds(JfrPrimitive::kInt));
  if (frame_.method < 0) return;
  stack_.truncated = find(*stack_type_, "truncated", holds(JfrPrimitive::kBoolean));
  stack_.frames = find(*stack_type_, "frames", [&types](const JfrField& field) {
    return field.is_array && !field.in_pool && field.type == types.stack_frame;
  });
}

uint32_t ChunkNames::Thread(uint64_t key) {
  uint32_t* number = threads_.PlaceOf(key);
  if (number == nullptr) return NoThread();
  if (*number == 0) {
    const JfrConstant constant(chunk_, threads_.type(), key);
    ProfileThread thread;
    thread.os_name = profile_.texts.NumberOf(constant.Field("osName").String());
    thread.os_id = constant.Field("osThreadId").Long();
    thread.java_name = profile_.texts.NumberOf(constant.Field("javaName").String());
    thread.java_id = constant.Field("javaThreadId").Long();
    thread.is_virtual = constant.Field("virtual").Long() != 0;
    *number = profile_.ThreadNumber(thread) + 1;
  }
  return *number - 1;
}

uint32_t ChunkNames::NoThread() {
  if (no_thread_ == 0) {
    const uint32_t nothing = profile_.texts.NumberOf("");
    no_thread_ = profile_.ThreadNumber({.os_name = nothing, .java_name = nothing}) + 1;
  }
  return no_thread_ - 1;
}

uint32_t ChunkNames::Stack(uint64_t key) {
  if (const std::optional<uint32_t> known = KnownStack(key)) return *known;
  if (key != 0) ++missing_stacks_;
  return profile_.stacks.Child(CallTree::kRoot, MarkerFrame(Text(Placeholder::kNoStack)));
}

std::optional<uint32_t> ChunkNames::KnownStack(uint64_t key) {
  uint32_t* number = stacks_.PlaceOf(key);
  if (number == nullptr) return std::nullopt;
  if (*number == 0) *number = DecodeStack(key) + 1;
  return *number - 1;
}

void ChunkNames::CheckStack(uint64_t key) {
  if (key != 0 && stacks_.PlaceOf(key) == nullptr) ++missing_stacks_;
}

void ChunkNames::ForgetStacks() {
  stacks_.Clear();
  last_root_ = CallTree::kRoot;
  last_path_.clear();
}

uint32_t ChunkNames::WithClass(uint32_t stack, uint64_t key) {
  if (key == 0) return stack;
  const uint32_t method = ClassAsMethod(key);
  return profile_.stacks.Child(stack, profile_.FrameNumber({method, 0, FrameKind::kClass}));
}

uint32_t ChunkNames::WithMethod(uint32_t stack, uint64_t key) {
  if (key == 0) return stack;
  return profile_.stacks.Child(stack, profile_.FrameNumber({Method(key), 0, FrameKind::kJava}));
}

uint32_t ChunkNames::State(uint64_t key) {
  uint32_t* number = states_.PlaceOf(key);
  if (number == nullptr) return 0;
  if (*number == 0) {
    *number = profile_.states.NumberOf(JfrConstant(chunk_, states_.type(), key).String()) + 1;
  }
  return *number - 1;
}

uint32_t ChunkNames::DecodeStack(uint64_t key) {
  bool truncated = false;
  frames_.clear();
  const std::optional<ByteCursor> at = chunk_.constants.Find(stacks_.type(), key);
  if (has_frames() && at) ReadFrames(*at, &truncated);
  uint32_t node = CallTree::kRoot;
  if (truncated && !EndsInRootMark()) {
    node = profile_.stacks.Child(node, MarkerFrame(Text(Placeholder::kTruncatedStack)));
  }
  if (frames_.empty()) node = profile_.stacks.Child(node, MarkerFrame(Text(Placeholder::kNoStack)));
  return WithFrames(node);
}

bool ChunkNames::EndsInRootMark() const {
  if (frames_.empty()) return false;
  const ProfileMethod& method = profile_.methods()[profile_.frames()[frames_.back()].method];
  return profile_.texts[method.name] == Text(Placeholder::kRootNotWalked);
}

// Consecutive stacks of a file often have the same outer frames. For these frames, this function
// reuses the nodes of the previous stack.
uint32_t ChunkNames::WithFrames(uint32_t node) {
  const size_t known = node == last_root_ ? last_path_.size() : 0;
  last_root_ = node;
  size_t depth = 0;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame, ++depth) {
    const bool same = depth < known && depth < last_path_.size() &&
                      profile_.stacks.frame(last_path_[depth]) == *frame;
    if (same) {
      node = last_path_[depth];
      continue;
    }
    last_path_.resize(depth);
    node = profile_.stacks.Child(node, *frame);
    last_path_.push_back(node);
  }
  return node;
}

void ChunkNames::ReadFrames(ByteCursor cursor, bool* truncated) {
  for (size_t i = 0; i < stack_type_->fields.size(); ++i) {
    const int index = static_cast<int>(i);
    if (index == stack_.truncated) {
      *truncated = cursor.Byte() != 0;
    } else if (index != stack_.frames) {
      chunk_.schema.SkipField(cursor, stack_type_->fields[i]);
    } else {
      const uint64_t count = cursor.Count();
      for (uint64_t k = 0; k < count && !cursor.failed(); ++k) {
        const uint32_t frame = ReadFrame(cursor);
        if (!cursor.failed()) frames_.push_back(frame);
      }
    }
  }
}

uint32_t ChunkNames::ReadFrame(ByteCursor& cursor) {
  uint64_t method_key = 0;
  uint64_t kind_key = 0;
  int32_t line = 0;
  for (size_t i = 0; i < frame_type_->fields.size(); ++i) {
    const JfrField& field = frame_type_->fields[i];
    const int index = static_cast<int>(i);
    if (index == frame_.method) {
      method_key = cursor.Long();
    } else if (index == frame_.type) {
      kind_key = cursor.Long();
    } else if (index == frame_.line) {
      line = static_cast<int32_t>(cursor.Int());
    } else {
      chunk_.schema.SkipField(cursor, field);
    }
  }
  ProfileFrame frame;
  frame.method = Method(method_key);
  frame.kind = Kind(kind_key);
  if (lines_ == LineNumbers::kKeep && line > 0) frame.line = line;
  const ProfileMethod& method = profile_.methods()[frame.method];
  const bool is_symbol = profile_.texts[method.descriptor].empty();
  if (is_symbol && IsMarker(profile_.texts[method.name])) frame.kind = FrameKind::kMarker;
  return profile_.FrameNumber(frame);
}

uint32_t ChunkNames::Method(uint64_t key) {
  uint32_t* place = methods_.PlaceOf(key);
  if (place != nullptr && *place != 0) return *place - 1;
  const JfrConstant constant(chunk_, methods_.type(), key);
  ProfileMethod method;
  const std::string name =
      constant ? constant.Field("name").String() : std::string(Text(Placeholder::kUnknownMethod));
  std::string descriptor = constant.Field("descriptor").String();
  if (descriptor == kNativeDescriptor || descriptor == kKernelDescriptor) descriptor.clear();
  const JfrValue owner = constant.Field("type");
  method.name = profile_.texts.NumberOf(name);
  method.descriptor = profile_.texts.NumberOf(descriptor);
  const std::string owner_name = owner.Field("name").String();
  method.owner = profile_.texts.NumberOf(descriptor.empty() ? owner_name : ClassText(owner_name));
  const uint32_t number = profile_.MethodNumber(method);
  if (place != nullptr) *place = number + 1;
  return number;
}

FrameKind ChunkNames::Kind(uint64_t key) {
  if (key < low_kinds_.size() && low_kinds_[key] != 0) {
    return static_cast<FrameKind>(low_kinds_[key] - 1);
  }
  uint32_t* place = kinds_.PlaceOf(key);
  if (place == nullptr) return FrameKind::kJava;
  if (*place == 0) {
    const std::string text = JfrConstant(chunk_, kinds_.type(), key).String();
    const auto* row = std::find_if(
        std::begin(kFrameKinds), std::end(kFrameKinds),
        [&](const FrameKindRow& candidate) { return !text.empty() && candidate.jfr_name == text; });
    const auto index = row == std::end(kFrameKinds) ? 0 : row - std::begin(kFrameKinds);
    *place = static_cast<uint32_t>(index) + 1;
  }
  if (key < low_kinds_.size()) low_kinds_[key] = static_cast<uint8_t>(*place);
  return static_cast<FrameKind>(*place - 1);
}

uint32_t ChunkNames::ClassAsMethod(uint64_t key) {
  uint32_t* place = classes_.PlaceOf(key);
  if (place != nullptr && *place != 0) return *place - 1;
  std::string name = ClassText(JfrConstant(chunk_, classes_.type(), key).Field("name").String());
  if (name.empty()) name = Text(Placeholder::kUnknownClass);
  const size_t dot = name.rfind('.');
  ProfileMethod method;
  method.descriptor = profile_.texts.NumberOf(name);
  method.owner = profile_.texts.NumberOf(dot == std::string::npos ? "" : name.substr(0, dot));
  method.name = profile_.texts.NumberOf(name.substr(dot == std::string::npos ? 0 : dot + 1));
  const uint32_t number = profile_.MethodNumber(method);
  if (place != nullptr) *place = number + 1;
  return number;
}

uint32_t ChunkNames::MarkerFrame(std::string_view text) {
  const uint32_t nothing = profile_.texts.NumberOf("");
  const uint32_t method = profile_.MethodNumber({nothing, profile_.texts.NumberOf(text), nothing});
  return profile_.FrameNumber({method, 0, FrameKind::kMarker});
}

}  // namespace jprof::profile
