#include "instrument/add_probes.h"

#include <algorithm>
#include <utility>

#include "instrument/bytes.h"
#include "instrument/class_file.h"
#include "instrument/method_weaver.h"

namespace jprof::instrument {
namespace {

// Returns the bytes of the method, with `content` as the content of its attribute Code.
std::vector<uint8_t> WithCode(const Method& method, const std::vector<uint8_t>& content) {
  ByteWriter out;
  out.Append(method.header);
  out.U2(static_cast<uint32_t>(method.attributes.size()));
  for (const Attribute& attribute : method.attributes) {
    if (attribute.name != "Code") {
      out.Append(attribute.whole);
      continue;
    }
    out.Append(attribute.whole.first(2));
    out.U4(static_cast<uint32_t>(content.size()));
    out.Append(content);
  }
  return out.Release();
}

Result<WovenCode, NotProbed> Probe(ProbedClass& probed, const Method& method, uint32_t id) {
  const Attribute* code = nullptr;
  for (const Attribute& attribute : method.attributes) {
    if (attribute.name != "Code") continue;
    if (code != nullptr) return NotProbed::kMalformed;
    code = &attribute;
  }
  if (code == nullptr) return NotProbed::kNoCode;
  Result<WovenCode, NotProbed> woven = WeaveProbes(probed, method, code->content, id);
  if (!woven) return woven.error();
  return WovenCode{WithCode(method, woven.value().content), std::move(woven.value().probe_code)};
}

// True if HotSpot can run its own code instead of the method. The JDK annotates such methods: from
// JDK 16 on with the first annotation below, in JDK 9 to 15 with the second annotation.
bool IsIntrinsic(const Method& method, const ConstantPool& pool) {
  return std::any_of(
      method.attributes.begin(), method.attributes.end(), [&pool](const Attribute& attribute) {
        return attribute.name == "RuntimeVisibleAnnotations" &&
               (HasAnnotation(attribute.content, pool,
                              "Ljdk/internal/vm/annotation/IntrinsicCandidate;") ||
                HasAnnotation(attribute.content, pool, "Ljdk/internal/HotSpotIntrinsicCandidate;"));
      });
}

std::vector<uint8_t> Assemble(const ClassFile& file,
                              const std::vector<std::vector<uint8_t>>& changed) {
  ByteWriter out;
  out.Append(file.before_pool);
  file.pool.Write(out);
  out.Append(file.before_methods);
  out.U2(static_cast<uint32_t>(file.methods.size()));
  for (size_t i = 0; i < file.methods.size(); ++i) {
    out.Append(changed[i].empty() ? file.methods[i].whole : Bytes(changed[i]));
  }
  out.Append(file.after_methods);
  return out.Release();
}

}  // namespace

std::string_view NotProbedText(NotProbed reason) {
  switch (reason) {
#define NOT_PROBED(name, text) \
  case NotProbed::name:        \
    return text;
#include "instrument/not_probed.def"
#undef NOT_PROBED
  }
  return {};
}

size_t ProbeReport::Probed() const {
  return static_cast<size_t>(
      std::count_if(methods.begin(), methods.end(),
                    [](const MethodReport& method) { return !method.not_probed; }));
}

Result<std::vector<uint8_t>> AddProbes(std::span<const uint8_t> class_file,
                                       const ProbeTarget& target, const ChooseMethod& choose,
                                       ProbeReport* report) {
  auto file = ClassFile::Parse(class_file);
  if (!file) return file.error();
  ProbedClass probed{std::move(file).value(), {}};
  if (target.passes_parameters) probed.parameters_to = &target;
  probed.passes_this = target.passes_this;
  const std::vector<Method>& methods = probed.file.methods;
  std::vector<std::vector<uint8_t>> changed(methods.size());
  std::optional<TargetMethods> target_methods;
  bool is_changed = false;
  for (size_t i = 0; i < methods.size(); ++i) {
    const Method& method = methods[i];
    const auto id = choose({method.name, method.descriptor, method.access_flags});
    if (!id) continue;
    std::optional<NotProbed> not_probed;
    std::vector<CodeRange> probe_code;
    if (!target_methods) target_methods = TargetMethods::Add(target, probed.file.pool);
    if (target_methods) {
      probed.target = *target_methods;
      auto with_probes = Probe(probed, method, *id);
      if (with_probes) {
        changed[i] = std::move(with_probes.value().content);
        probe_code = std::move(with_probes.value().probe_code);
        is_changed = true;
      } else {
        not_probed = with_probes.error();
      }
    } else {
      not_probed = NotProbed::kPoolFull;
    }
    if (report != nullptr) {
      report->methods.push_back({*id, std::string(method.name), std::string(method.descriptor),
                                 not_probed, IsIntrinsic(method, probed.file.pool),
                                 std::move(probe_code)});
    }
  }
  if (!is_changed) return std::vector<uint8_t>();
  return Assemble(probed.file, changed);
}

}  // namespace jprof::instrument
