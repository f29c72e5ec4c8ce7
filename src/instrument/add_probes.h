// AddProbes: a class file with probes in chosen methods.
//
// A probed method calls, of the class `ProbeTarget::class_name`:
//
//   long token = entry(id);              first; in a constructor after super() or this()
//   exit(id, token);                     before each return instruction
//   exception(throwable, id, token);     when an exception leaves it, which is then thrown on
//
// So every call whose entry probe returned ends in exactly one call of exit or exception, unless
// its thread ends without unwinding or a probe itself throws: an exception thrown by a probe goes
// to the caller, in a try block of the method to its handlers first. A target without exit or
// exception has no such probes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof::instrument {

struct NameAndType {
  std::string_view name;
  std::string_view descriptor;
};

// Public static methods of a public class that every class loader finds: one of the boot loader.
// The texts outlive it.
struct ProbeTarget {
  std::string_view class_name;  // internal form: "jprof/Probes"
  NameAndType entry{"entry", "(I)J"};
  NameAndType exit{"exit", "(IJ)V"};                                 // without a name: none
  NameAndType exception{"exception", "(Ljava/lang/Throwable;IJ)V"};  // as exit
  // The entry probe gets the parameters of the method in front of the id, as an overload for each
  // list of parameters: the descriptor of `entry` is not used. REQUIRES: the chosen methods are
  // static.
  bool passes_parameters = false;
  // The entry probe gets `this` in front of the id, as an Object, which the descriptor of `entry`
  // says. REQUIRES: the chosen methods are not static, and no constructors.
  bool passes_this = false;
};

// Names and descriptors as in the class file (modified UTF-8); valid during the call of
// ChooseMethod.
struct MethodToProbe {
  std::string_view name;
  std::string_view descriptor;
  uint16_t access_flags = 0;
};

// The id that the probes of a method pass, or nullopt for a method that is left alone. Asked once
// for every method, also abstract and native ones, in the order of the class file.
using ChooseMethod = std::function<std::optional<uint32_t>(const MethodToProbe&)>;

enum class NotProbed : uint8_t {
#define NOT_PROBED(name, text) name,
#include "instrument/not_probed.def"
#undef NOT_PROBED
};

// "it is abstract or native": follows "not probed: ". Static storage.
std::string_view NotProbedText(NotProbed reason);

// A chosen method.
struct MethodReport {
  uint32_t id = 0;
  std::string name;
  std::string descriptor;
  std::optional<NotProbed> not_probed;  // nullopt: it has probes
  // HotSpot may run its own code for calls of the method: then without probes, so that counts are
  // too low.
  bool is_intrinsic = false;
};

struct ProbeReport {
  std::vector<MethodReport> methods;  // the chosen ones, in the order of the class file

  size_t Probed() const;
};

// The class file with probes; empty if no method got any, so that the class stays as it is. An
// Error if it is no class file, or of a version outside 45.3 to 71. `report` may be nullptr.
// Deterministic. Thread-safe.
Result<std::vector<uint8_t>> AddProbes(std::span<const uint8_t> class_file,
                                       const ProbeTarget& target, const ChooseMethod& choose,
                                       ProbeReport* report);

}  // namespace jprof::instrument
