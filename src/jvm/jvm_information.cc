#include "jvm/jvm_information.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/jdk_facts.h"
#include "base/modified_utf8.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/redaction.h"
#include "os/process_information.h"

namespace jprof {
namespace {

std::optional<std::string> Property(jvmtiEnv* jvmti, const char* key) {
  JvmtiPtr<char> value(jvmti);
  if (jvmti->GetSystemProperty(key, value.out()) != JVMTI_ERROR_NONE || value.get() == nullptr) {
    return std::nullopt;  // JVMTI_ERROR_NOT_AVAILABLE if a property has no value
  }
  return Utf8FromModifiedUtf8(value.get());
}

std::string PropertyOrEmpty(jvmtiEnv* jvmti, const char* key) {
  return Property(jvmti, key).value_or("");
}

// Joins the words by spaces. The words can contain any bytes that the user typed; the result is
// valid UTF-8.
std::string Join(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return Utf8FromModifiedUtf8(joined);
}

// Returns the strings of the VM's array `*array`, which has `*count` elements. Returns nullopt if
// the VM does not export these two variables.
std::optional<std::vector<std::string>> Strings(char** const* array, const int* count) {
  if (array == nullptr || count == nullptr) return std::nullopt;
  std::vector<std::string> strings;
  for (int i = 0; *array != nullptr && i < *count; ++i) {
    if ((*array)[i] != nullptr) strings.emplace_back((*array)[i]);
  }
  return strings;
}

std::string Version(jvmtiEnv* jvmti, const VmStatics& statics) {
  if (statics.internal_vm_info != nullptr && *statics.internal_vm_info != nullptr) {
    return *statics.internal_vm_info;
  }
  // The text has the form of HotSpot's version text, because JDK Mission Control reads the release
  // after "JRE (".
  const std::string version = PropertyOrEmpty(jvmti, "java.vm.version");
  return PropertyOrEmpty(jvmti, "java.vm.name") + " (" + version + ") for linux JRE (" + version +
         "), built by " + PropertyOrEmpty(jvmti, "java.vm.vendor");
}

std::vector<std::string> JvmArguments(const VmStatics& statics) {
  if (auto strings = Strings(statics.jvm_args, statics.num_jvm_args)) return *std::move(strings);
  Result<std::vector<std::string>> command_line = ProcessArguments();
  return command_line.ok() ? JvmArgumentsIn(command_line.value()) : std::vector<std::string>();
}

std::string JavaCommand(jvmtiEnv* jvmti, const VmStatics& statics) {
  if (statics.java_command != nullptr && *statics.java_command != nullptr) {
    return Utf8FromModifiedUtf8(*statics.java_command);
  }
  return PropertyOrEmpty(jvmti, "sun.java.command");
}

}  // namespace

std::vector<std::string> JvmArgumentsIn(const std::vector<std::string>& command_line) {
  std::vector<std::string> part;
  for (size_t i = 1; i < command_line.size(); ++i) {
    const std::string& argument = command_line[i];
    if (!argument.starts_with('-') && !argument.starts_with('@')) break;
    if (LauncherOptionNamesProgram(argument)) break;
    part.push_back(argument);
    if (LauncherOptionTakesNext(argument) && i + 1 < command_line.size()) {
      part.push_back(command_line[++i]);
    }
  }
  return part;
}

// From JDK 9 on, the major version of JVMTI is the release of the JDK.
int JdkRelease(jvmtiEnv* jvmti) {
  jint version = 0;
  if (jvmti->GetVersionNumber(&version) != JVMTI_ERROR_NONE) return 0;
  return (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
}

bool HasJvmArgument(const VmStatics& statics, std::string_view argument) {
  const std::vector<std::string> arguments = JvmArguments(statics);
  return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
}

JvmInformation ReadJvmInformation(jvmtiEnv* jvmti, const VmStatics& statics) {
  JvmInformation information;
  information.jvm_name = PropertyOrEmpty(jvmti, "java.vm.name");
  information.jvm_version = Version(jvmti, statics);
  information.jvm_arguments = Join(RedactArguments(JvmArguments(statics)));
  information.jvm_flags = Join(RedactArguments(
      Strings(statics.jvm_flags, statics.num_jvm_flags).value_or(std::vector<std::string>())));
  information.java_arguments = RedactJavaCommand(JavaCommand(jvmti, statics));
  const Result<int64_t> start = ProcessStartEpochMs();
  information.start_epoch_ms = start.ok() ? start.value() : 0;
  information.pid = getpid();
  return information;
}

std::vector<std::pair<std::string, std::string>> ReadSystemProperties(jvmtiEnv* jvmti) {
  std::vector<std::pair<std::string, std::string>> properties;
  jint count = 0;
  JvmtiPtr<char*> keys(jvmti);
  if (jvmti->GetSystemProperties(&count, keys.out()) != JVMTI_ERROR_NONE) return properties;
  for (jint i = 0; i < count; ++i) {
    JvmtiPtr<char> owned_key(jvmti);
    *owned_key.out() = keys[i];
    const std::string key = Utf8FromModifiedUtf8(keys[i]);
    if (const auto value = Property(jvmti, keys[i])) {
      properties.emplace_back(key, RedactProperty(key, *value));
    }
  }
  return properties;
}

}  // namespace jprof
