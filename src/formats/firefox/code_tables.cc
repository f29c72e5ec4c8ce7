#include "formats/firefox/code_tables.h"

#include <string>
#include <string_view>
#include <utility>

namespace jprof::firefox {
namespace {

// Returns the Java name of a primitive type; empty if `code` is not the code of such a type.
std::string_view PrimitiveName(char code) {
  switch (code) {
    case 'B':
      return "byte";
    case 'C':
      return "char";
    case 'D':
      return "double";
    case 'F':
      return "float";
    case 'I':
      return "int";
    case 'J':
      return "long";
    case 'S':
      return "short";
    case 'Z':
      return "boolean";
    default:
      return {};
  }
}

// Removes the first type from `types` and appends its name to `out`. Returns false if `types` does
// not start with a type.
bool TakeType(std::string_view& types, std::string& out) {
  size_t dimensions = 0;
  while (dimensions < types.size() && types[dimensions] == '[') ++dimensions;
  types.remove_prefix(dimensions);
  if (types.empty()) return false;
  if (types.front() == 'L') {
    const size_t end = types.find(';');
    if (end == std::string_view::npos) return false;
    const std::string_view name = types.substr(1, end - 1);
    out += name.substr(name.find_last_of('/') + 1);
    types.remove_prefix(end + 1);
  } else {
    const std::string_view name = PrimitiveName(types.front());
    if (name.empty()) return false;
    out += name;
    types.remove_prefix(1);
  }
  for (; dimensions != 0; --dimensions) out += "[]";
  return true;
}

// Returns the parameters of a method as Java source has them: "(ILjava/lang/String;[J)V" becomes
// "(int, String, long[])". Empty if `descriptor` is not the descriptor of a method.
std::string JavaParameters(std::string_view descriptor) {
  const size_t end = descriptor.find(')');
  if (!descriptor.starts_with('(') || end == std::string_view::npos) return {};
  std::string_view types = descriptor.substr(1, end - 1);
  std::string text = "(";
  while (!types.empty()) {
    if (text.size() != 1) text += ", ";
    if (!TakeType(types, text)) return {};
  }
  return text + ")";
}

}  // namespace

using profile::CallTree;
using profile::FrameKind;
using profile::ProfileFrame;
using profile::ProfileMethod;

namespace {

// The types of resources in the output. Other types are avoided, because the front end loads their
// icons from the network.
constexpr int kLibraryType = 1, kOtherHostType = 5;

// True for frames of Java code and of code that the JVM makes; false for markers and for native
// code of libraries and the kernel.
bool IsJava(const profile::Profile& profile, const ProfileFrame& frame) {
  return frame.kind != FrameKind::kKernel && frame.kind != FrameKind::kMarker &&
         !profile.IsNative(frame.method);
}

}  // namespace

CodeTables::CodeTables(const profile::Profile& profile, profile::TextTable& strings)
    : profile_(profile),
      strings_(strings),
      row_of_stack_(profile.stacks.size()),
      function_rows_(profile.methods().size()) {}

uint32_t CodeTables::StackRow(uint32_t stack, uint8_t idle) {
  if (idle != 0) return AddStack(stack, idle);
  path_.clear();
  uint32_t at = stack;
  for (; at != CallTree::kRoot && row_of_stack_[at] == 0; at = profile_.stacks.parent(at)) {
    path_.push_back(at);
  }
  while (!path_.empty()) {
    row_of_stack_[path_.back()] = AddStack(path_.back(), 0) + 1;
    path_.pop_back();
  }
  return row_of_stack_[stack] - 1;
}

uint32_t CodeTables::AddStack(uint32_t stack, uint8_t idle) {
  const uint32_t parent = profile_.stacks.parent(stack);
  if (idle != 0) {
    const uint32_t known = idle_rows_.Find(uint64_t{stack} << 8 | idle);
    if (known != 0) return known - 1;
    if (parent != CallTree::kRoot) StackRow(parent);
  }
  const int64_t caller = parent == CallTree::kRoot ? kNone : int64_t{row_of_stack_[parent]} - 1;
  const auto row = static_cast<uint32_t>(stacks_.size());
  const uint32_t frame = FrameRow(profile_.stacks.frame(stack), caller, idle);
  stacks_.push_back({frame, caller == kNone ? 0 : static_cast<uint32_t>(row - caller)});
  if (idle != 0) idle_rows_.At(uint64_t{stack} << 8 | idle) = row + 1;
  return row;
}

uint32_t CodeTables::FrameRow(uint32_t number, int64_t caller, uint8_t idle) {
  const ProfileFrame& frame = profile_.frames()[number];
  int32_t symbol = kNone;
  int32_t depth = 0;
  if (frame.kind == FrameKind::kC1 || frame.kind == FrameKind::kC2) {
    symbol = SymbolRow(frame);
  } else if (frame.kind == FrameKind::kInlined && caller != kNone) {
    const Frame& outer = frames_[stacks_[static_cast<size_t>(caller)].frame];
    symbol = outer.symbol;
    depth = symbol == kNone ? 0 : outer.depth + 1;
  }
  uint32_t& variant = variant_numbers_.At(static_cast<uint64_t>(symbol + 1) << 32 |
                                          static_cast<uint64_t>(depth) << 8 | idle);
  if (variant == 0) variant = static_cast<uint32_t>(variant_numbers_.size());
  uint32_t& known = frame_rows_.At(uint64_t{number} << 32 | variant);
  if (known != 0) return known - 1;
  known = static_cast<uint32_t>(frames_.size()) + 1;
  const auto place =
      idle != 0 ? std::optional(CategoryPlace{Category::kIdle, idle}) : CategoryOf(profile_, frame);
  frames_.push_back({.function = FunctionRow(frame),
                     .symbol = symbol,
                     .depth = depth,
                     .line = frame.line,
                     .has_category = place.has_value(),
                     .place = place.value_or(CategoryPlace{}),
                     .is_java = IsJava(profile_, frame) && frame.kind != FrameKind::kClass});
  return known - 1;
}

uint32_t CodeTables::FunctionRow(const ProfileFrame& frame) {
  if (function_rows_[frame.method] != 0) return function_rows_[frame.method] - 1;
  const ProfileMethod& method = profile_.methods()[frame.method];
  const std::string& owner = profile_.texts[method.owner];
  const bool is_java = IsJava(profile_, frame);
  Function function{.name = 0, .is_java = is_java, .resource = kNone, .source = kNone};
  function.name = strings_.NumberOf(profile_.MethodText(frame.method) +
                                    JavaParameters(profile_.texts[method.descriptor]));
  if (is_java) {
    const bool is_class = frame.kind == FrameKind::kClass;
    const std::string package =
        is_class ? owner
                 : owner.substr(0, owner.find('.') == std::string::npos ? 0 : owner.rfind('.'));
    if (!package.empty()) function.resource = ResourceRow(package, kOtherHostType);
    if (!is_class) function.source = SourceRow(profile_.SourcePathOfMethod(frame.method));
  } else if (!owner.empty() && frame.kind != FrameKind::kMarker) {
    function.resource = ResourceRow(owner, kLibraryType);
  }
  functions_.push_back(function);
  function_rows_[frame.method] = static_cast<uint32_t>(functions_.size());
  return function_rows_[frame.method] - 1;
}

int32_t CodeTables::SymbolRow(const ProfileFrame& frame) {
  const auto [entry, is_new] =
      symbol_rows_.try_emplace({frame.method, frame.kind}, static_cast<uint32_t>(symbols_.size()));
  if (is_new) {
    symbols_.push_back(strings_.NumberOf(profile_.MethodText(frame.method) + " [" +
                                         std::string(RowOf(frame.kind).label) + "]"));
  }
  return static_cast<int32_t>(entry->second);
}

int32_t CodeTables::ResourceRow(const std::string& name, int type) {
  const auto [entry, is_new] =
      resource_rows_.try_emplace(name, static_cast<uint32_t>(resources_.size()));
  if (is_new) resources_.push_back({strings_.NumberOf(name), type});
  return static_cast<int32_t>(entry->second);
}

int32_t CodeTables::SourceRow(const std::string& path) {
  if (path.empty()) return kNone;
  const auto [entry, is_new] =
      source_rows_.try_emplace(path, static_cast<uint32_t>(sources_.size()));
  if (is_new) sources_.push_back(strings_.NumberOf(path));
  return static_cast<int32_t>(entry->second);
}

}  // namespace jprof::firefox
