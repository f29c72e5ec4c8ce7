#include "formats/exchange/code_locations.h"

#include "base/placeholders.h"

namespace jprof {
namespace {

using profile::CallTree;
using profile::FrameKind;

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string FunctionName(const profile::Profile& profile, uint32_t method) {
  const std::string name = profile.MethodText(method);
  return name.empty() ? std::string(Text(Placeholder::kUnknownMethod)) : name;
}

Mappings::Mappings(const profile::Profile& profile) : profile_(profile) {
  for (const profile::ProfileLibrary& library : profile.libraries) {
    const std::string& path = profile.texts[library.path];
    libraries_.try_emplace(
        FileName(path), Mapping{path, profile.texts[library.build_id], library.base, library.top});
  }
  const auto java = libraries_.find("java");
  mappings_.push_back(java != libraries_.end() ? java->second : Mapping{.path = "java"});
  mappings_.front().is_java = true;
}

uint32_t Mappings::Of(const profile::ProfileFrame& frame) {
  const uint32_t owner = profile_.methods()[frame.method].owner;
  if (!profile_.IsNative(frame.method) || profile_.texts[owner].empty()) return 0;
  const auto [entry, is_new] = of_owner_.try_emplace(owner, mappings_.size());
  if (is_new) {
    const auto library = libraries_.find(profile_.texts[owner]);
    mappings_.push_back(library != libraries_.end() ? library->second
                                                    : Mapping{.path = profile_.texts[owner]});
  }
  return entry->second;
}

CodeLocations::CodeLocations(const profile::Profile& profile)
    : profile_(profile), locations_{{0, 0, 0}}, of_stack_(profile.stacks.size()) {
  KeyMap numbers;  // outer location and frame -> number of the location
  for (uint32_t stack = 1; stack < of_stack_.size(); ++stack) {
    const uint32_t frame = profile.stacks.frame(stack);
    const bool is_inlined = profile.frames()[frame].kind == FrameKind::kInlined;
    const uint32_t outer = is_inlined ? of_stack_[profile.stacks.parent(stack)] : 0;
    uint32_t& number = numbers.At(uint64_t{outer} << 32 | frame);
    if (number == 0) {
      number = static_cast<uint32_t>(locations_.size());
      locations_.push_back({outer, frame, locations_[outer].depth + 1});
    }
    of_stack_[stack] = number;
  }
}

}  // namespace jprof
