// Writes the initial inputs of elf_fuzz to a folder: a file with symbols of every kind, plain and
// mangled, and a file that has only the dynamic linker's symbols.
#include <fstream>
#include <string>

#include "elf/fake_elf.h"

namespace {

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

jprof::FakeElf Symbols() {
  jprof::FakeElf elf;
  elf.Add("plain", 0x1000, 0x20)
      .Add("_ZNK1A1bEi.cold", 0x1020, 0x20)
      .Add("versioned@@V1", 0x1040, 0x20)
      .Add("alias", 0x1040, 0, STT_NOTYPE, STB_WEAK)
      .Add("around", 0x1030, 0x80, STT_GNU_IFUNC, STB_LOCAL)
      .Add("_ZZ1fiENKUlvE_clEv", 0x1100, 0x10)
      .Add("variable", 0x3000, 8, STT_OBJECT, STB_GLOBAL, jprof::kData);
  return elf;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::string folder = argv[1];
  Write(folder + "/symtab", Symbols().Bytes());
  Write(folder + "/dynsym", Symbols().AsDynamic().Bytes());
  return 0;
}
