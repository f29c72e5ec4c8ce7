// An agent of another version, for cli_versions_test. It answers every command with the content of
// the file that the environment variable OTHER_VERSION_ANSWER names.
#include <jni.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

extern "C" JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM*, char* options, void*) {
  const std::string command = options == nullptr ? "" : options;
  const std::string option = ",answer=";
  const size_t at = command.rfind(option);
  const char* const from = std::getenv("OTHER_VERSION_ANSWER");
  if (at == std::string::npos || from == nullptr) return JNI_ERR;
  std::ifstream input(from, std::ios::binary);
  std::ofstream(command.substr(at + option.size()), std::ios::binary)
      << std::string(std::istreambuf_iterator<char>(input), {});
  return JNI_OK;
}
