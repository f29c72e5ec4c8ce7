// Writes the initial inputs of scopes_fuzz to a folder: places in ascending order, and chains of
// callers that are short, circular, or made of large numbers.
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr uint32_t kPlaces = 16;

void Write(const std::string& path, uint32_t scope, const std::string& numbers) {
  std::ofstream file(path, std::ios::binary);
  for (uint32_t place = 0; place < kPlaces; ++place) {
    const uint32_t desc[] = {place * 8, scope, 0, 0};
    file.write(reinterpret_cast<const char*>(desc), sizeof desc);
  }
  file << numbers;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::string folder = argv[1];
  Write(folder + "/outermost", 1, std::string("\0\1\2\3", 4));
  Write(folder + "/inlined", 4, std::string("\0\1\2\3\2\3\4", 7));
  Write(folder + "/circle", 1, std::string("\0\2\2\3", 4));
  Write(folder + "/large", 1,
        std::string("\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\xc0\2", 14));
  Write(folder + "/far", 0x7fffffff, {});
  return 0;
}
