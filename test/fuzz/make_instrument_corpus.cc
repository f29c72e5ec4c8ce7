// Writes the initial inputs of instrument_fuzz to a folder: generated classes, and small classes of
// the JDKs of this machine.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "instrument/sample_class.h"

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargest = 8192;

void Write(const std::string& path, const jprof::ClassBytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void CopyClasses(const fs::path& jdk, const fs::path& folder) {
  const fs::path unpacked = folder.string() + ".jdk";
  const std::string command = jdk.string() + "/bin/jimage extract --dir " + unpacked.string() +
                              " --include 'regex:/java.base/java/util/concurrent/[^/]*' " +
                              jdk.string() + "/lib/modules";
  if (std::system(command.c_str()) != 0) return;
  for (const auto& entry : fs::recursive_directory_iterator(unpacked)) {
    if (!entry.is_regular_file() || entry.file_size() > kLargest) continue;
    const std::string name = jdk.filename().string() + "-" + entry.path().filename().string();
    fs::copy_file(entry.path(), folder / name, fs::copy_options::overwrite_existing);
  }
  fs::remove_all(unpacked);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::string folder = argv[1];
  for (const uint16_t major : {48, 49, 50, 52, 71}) {
    Write(folder + "/made-" + std::to_string(major), jprof::SampleClass(major));
  }
  std::error_code ignored;
  for (const auto& jdk : fs::directory_iterator("/usr/lib/jvm", ignored)) {
    if (fs::exists(jdk.path() / "bin/jimage")) CopyClasses(jdk.path(), folder);
  }
  return 0;
}
