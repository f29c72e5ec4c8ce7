#include "profile/chunk_names.h"

#include <algorithm>

namespace jprof::profile {
namespace {

constexpr std::string_view kNativeDescriptor = "()L;";
constexpr std::string_view kKernelDescriptor = "(Lk;)L;";
// Words of the profiler stand where a symbol would: "[lost: no memory]".
bool IsMarker(std::string_view name) { return name.starts_with('['); }

// java/util/HashMap -> java.util.HashMap. The number behind the '/' of a hidden class stays apart.
std::string DottedName(std::string name) {
  for (size_t i = 0; i < name.size(); ++i) {
    const bool is_number = i + 1 < name.size() && name[i + 1] >= '0' && name[i + 1] <= '9';
    if (name[i] == '/' && !is_number) name[i] = '.';
  }
  return name;
}

// [Ljava/lang/String; -> java.lang.String[]
std::string ClassText(std::string name) {
  static constexpr std::string_view kPrimitives[] = {"Zboolean", "Bbyte", "Cchar",  "Sshort",
                                                     "Iint",     "Jlong", "Ffloat", "Ddouble"};
  const size_t dimensions = std::min(name.find_first_not_of('['), name.size());
  if (dimensions == 0 || dimensions == name.size()) return DottedName(std::move(name));
  std::string element = name.substr(dimensions);
  if (element.size() > 2 && element.front() == 'L' && element.back() == ';') {
    element = element.substr(1, element.size() - 2);
  } else if (element.size() == 1) {
    for (const std::string_view primitive : kPrimitives) {
      if (primitive[0] == element[0]) {
        element = primitive.substr(1);
        break;
      }
    }
  }
  element = DottedName(std::move(element));
  for (size_t i = 0; i < dimensions; ++i) element += "[]";
  return element;
}

}  // namespace

ChunkNames::ChunkNames(JfrChunk& chunk, Profile& profile, LineNumbers lines)
    : chunk_(chunk), profile_(profile), lines_(lines) {}

uint32_t ChunkNames::Thread(uint32_t type, uint64_t key) {
  uint32_t* note = chunk_.constants.NoteOf(type, key);
  uint32_t& number = note != nullptr ? *note : no_thread_;
  if (number != 0) return number - 1;
  const JfrConstant constant(chunk_, type, key);
  ProfileThread thread;
  thread.os_name = constant.Field("osName").String();
  thread.os_id = constant.Field("osThreadId").Long();
  thread.java_name = constant.Field("javaName").String();
  thread.java_id = constant.Field("javaThreadId").Long();
  thread.is_virtual = constant.Field("virtual").Long() != 0;
  number = profile_.ThreadNumber(thread) + 1;
  return number - 1;
}

uint32_t ChunkNames::Stack(uint32_t type, uint64_t key) {
  uint32_t* note = chunk_.constants.NoteOf(type, key);
  if (note == nullptr) {
    if (key != 0) ++missing_stacks_;
    return profile_.stacks.Child(CallTree::kRoot, MarkerFrame("[no stack]"));
  }
  if (*note == 0) *note = DecodeStack(type, key) + 1;
  return *note - 1;
}

uint32_t ChunkNames::WithClass(uint32_t stack, uint32_t type, uint64_t key) {
  if (key == 0) return stack;
  const uint32_t method = ClassAsMethod(type, key);
  return profile_.stacks.Child(stack, profile_.FrameNumber({method, 0, FrameKind::kClass}));
}

uint32_t ChunkNames::DecodeStack(uint32_t type, uint64_t key) {
  FindFrameFields(type);
  bool truncated = false;
  frames_.clear();
  const std::optional<ByteCursor> at = chunk_.constants.Find(type, key);
  if (frame_.method >= 0 && at) ReadFrames(*at, chunk_.schema.type(type), &truncated);
  uint32_t node = CallTree::kRoot;
  if (truncated) node = profile_.stacks.Child(node, MarkerFrame("[truncated stack]"));
  if (frames_.empty()) node = profile_.stacks.Child(node, MarkerFrame("[no stack]"));
  return WithFrames(node);
}

// Stacks that follow each other in a file often begin alike: those nodes are known.
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

void ChunkNames::FindFrameFields(uint32_t stack_type) {
  if (stack_type == known_stack_type_) return;
  known_stack_type_ = stack_type;
  frame_ = {};
  kinds_.fill(0);
  const JfrType& stack = chunk_.schema.type(stack_type);
  const int frames = stack.IndexOf("frames");
  if (!stack.is_readable || frames < 0) return;
  const JfrField& field = stack.fields[static_cast<size_t>(frames)];
  if (!field.is_array || field.in_pool) return;
  frame_type_ = &chunk_.schema.type(field.type);
  const auto find = [this](std::string_view name, uint32_t* type) {
    const int index = frame_type_->IndexOf(name);
    if (index < 0) return -1;
    const JfrField& found = frame_type_->fields[static_cast<size_t>(index)];
    *type = found.type;
    const bool is_int = chunk_.schema.type(found.type).primitive == JfrPrimitive::kInt;
    return !found.is_array && (found.in_pool || is_int) ? index : -1;
  };
  uint32_t line_type = 0;
  frame_.method = find("method", &frame_.method_type);
  frame_.line = find("lineNumber", &line_type);
  frame_.type = find("type", &frame_.kind_type);
}

bool ChunkNames::ReadFrames(ByteCursor cursor, const JfrType& stack, bool* truncated) {
  for (const JfrField& field : stack.fields) {
    if (field.name == "truncated") {
      ByteCursor value = cursor;
      *truncated = value.Byte() != 0;
    }
    if (field.name != "frames") {
      chunk_.schema.SkipField(cursor, field);
      continue;
    }
    const uint64_t count = cursor.Count();
    for (uint64_t i = 0; i < count && !cursor.failed(); ++i) {
      const uint32_t frame = ReadFrame(cursor);
      if (!cursor.failed()) frames_.push_back(frame);
    }
  }
  return !cursor.failed();
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
  uint32_t* note = chunk_.constants.NoteOf(frame_.method_type, key);
  if (note != nullptr && *note != 0) return *note - 1;
  const JfrConstant constant(chunk_, frame_.method_type, key);
  ProfileMethod method;
  const std::string name = constant ? constant.Field("name").String() : "[unknown method]";
  std::string descriptor = constant.Field("descriptor").String();
  if (descriptor == kNativeDescriptor || descriptor == kKernelDescriptor) descriptor.clear();
  const JfrValue owner = constant.Field("type");
  method.name = profile_.texts.NumberOf(name);
  method.descriptor = profile_.texts.NumberOf(descriptor);
  const std::string owner_name = owner.Field("name").String();
  method.owner = profile_.texts.NumberOf(descriptor.empty() ? owner_name : ClassText(owner_name));
  const uint32_t number = profile_.MethodNumber(method);
  if (note != nullptr) *note = number + 1;
  return number;
}

FrameKind ChunkNames::Kind(uint64_t key) {
  if (key < kinds_.size() && kinds_[key] != 0) return static_cast<FrameKind>(kinds_[key] - 1);
  uint32_t* note = chunk_.constants.NoteOf(frame_.kind_type, key);
  if (note == nullptr) return FrameKind::kJava;
  if (*note == 0) {
    const std::string text = JfrConstant(chunk_, frame_.kind_type, key).String();
    const auto* row = std::find_if(
        std::begin(kFrameKinds), std::end(kFrameKinds),
        [&](const FrameKindRow& candidate) { return !text.empty() && candidate.jfr_name == text; });
    const auto index = row == std::end(kFrameKinds) ? 0 : row - std::begin(kFrameKinds);
    *note = static_cast<uint32_t>(index) + 1;
  }
  if (key < kinds_.size()) kinds_[key] = static_cast<uint8_t>(*note);
  return static_cast<FrameKind>(*note - 1);
}

uint32_t ChunkNames::ClassAsMethod(uint32_t type, uint64_t key) {
  uint32_t* note = chunk_.constants.NoteOf(type, key);
  if (note != nullptr && *note != 0) return *note - 1;
  std::string name = ClassText(JfrConstant(chunk_, type, key).Field("name").String());
  if (name.empty()) name = "[unknown class]";
  const size_t dot = name.rfind('.');
  ProfileMethod method;
  method.descriptor = profile_.texts.NumberOf(name);
  method.owner = profile_.texts.NumberOf(dot == std::string::npos ? "" : name.substr(0, dot));
  method.name = profile_.texts.NumberOf(name.substr(dot == std::string::npos ? 0 : dot + 1));
  const uint32_t number = profile_.MethodNumber(method);
  if (note != nullptr) *note = number + 1;
  return number;
}

uint32_t ChunkNames::MarkerFrame(std::string_view text) {
  const uint32_t nothing = profile_.texts.NumberOf("");
  const uint32_t method = profile_.MethodNumber({nothing, profile_.texts.NumberOf(text), nothing});
  return profile_.FrameNumber({method, 0, FrameKind::kMarker});
}

}  // namespace jprof::profile
