// AddProbes adds probes to chosen methods of a class file.
//
// A probed method calls these methods of the class `ProbeTarget::class_name`:
//
//   long token = entry(id);              first; in a constructor after super() or this()
//   exit(id, token);                     before each return instruction
//   exception(throwable, id, token);     when an exception leaves the method, before the method
//                                        throws that exception again
//
// If the target has all three methods, exactly one call to exit or exception follows each return of
// the entry probe, unless the thread ends without unwinding, or a probe itself throws an exception.
// An exception thrown by a probe goes to the method's own handlers if the probe is in a try block,
// else to the caller. If the target has no method `exit`, probed methods have no exit probes; if it
// has no method `exception`, they have no exception probes.
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

// The methods that probes call. They are public static methods of a public class of the boot
// loader, which every class loader finds. The strings must outlive the ProbeTarget.
struct ProbeTarget {
  std::string_view class_name;  // internal form: "jprof/Probes"
  NameAndType entry{"entry", "(I)J"};
  // If the name of `exit` or `exception` is empty, methods get no such probe.
  NameAndType exit{"exit", "(IJ)V"};
  NameAndType exception{"exception", "(Ljava/lang/Throwable;IJ)V"};
  // True if the entry probe gets the parameters of the probed method before the id. The target
  // class then has an overload of the entry probe for each list of parameters, and the descriptor
  // of `entry` is not used. REQUIRES: the chosen methods are static.
  bool passes_parameters = false;
  // True if the entry probe gets `this` before the id, as an Object. The descriptor of `entry`
  // includes this parameter. REQUIRES: the chosen methods are neither static nor constructors.
  bool passes_this = false;
};

// The argument of ChooseMethod. The name and the descriptor are those of the class file (modified
// UTF-8), and are valid only during the call.
struct MethodToProbe {
  std::string_view name;
  std::string_view descriptor;
  uint16_t access_flags = 0;
};

// Returns the id that the probes of a method pass, or nullopt for a method that gets no probes.
// Called once for every method, including abstract and native ones, in the order of the class file.
using ChooseMethod = std::function<std::optional<uint32_t>(const MethodToProbe&)>;

enum class NotProbed : uint8_t {
#define NOT_PROBED(name, text) name,
#include "instrument/not_probed.def"
#undef NOT_PROBED
};

// Returns the text of a reason, such as "it is abstract or native", for a message that begins with
// "not probed: ". The text is static.
std::string_view NotProbedText(NotProbed reason);

// The bytecode indexes from `begin` to before `end`.
struct CodeRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// The result for a chosen method.
struct MethodReport {
  uint32_t id = 0;
  std::string name;
  std::string descriptor;
  std::optional<NotProbed> not_probed;  // nullopt if the method has probes
  // True if HotSpot can run its own code instead of the method. HotSpot's code has no probes, so
  // the method's counts are too low.
  bool is_intrinsic = false;
  // The code of the probes, each with the return instruction after it. Outside of these ranges, the
  // entry probe of the running method has been called, and no probe that ends the call.
  std::vector<CodeRange> probe_code = {};
};

struct ProbeReport {
  std::vector<MethodReport> methods;  // the chosen methods, in the order of the class file

  size_t Probed() const;
};

// Returns the class file with probes. The result is empty if no method got a probe; the class then
// stays as it is. Returns an Error if the bytes are no class file, or if its version is outside
// 45.3 to 71. `report` may be nullptr. Deterministic and thread-safe.
Result<std::vector<uint8_t>> AddProbes(std::span<const uint8_t> class_file,
                                       const ProbeTarget& target, const ChooseMethod& choose,
                                       ProbeReport* report);

}  // namespace jprof::instrument
