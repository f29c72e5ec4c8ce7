#include "integration/outside_reader.h"

#include <dirent.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace jprof::test {
namespace {

constexpr char kSymbol[] = "otel_thread_ctx_v1";
// The relocation that has the offset of a thread-local variable from the thread pointer.
#ifdef __x86_64__
constexpr uint32_t kThreadOffset = R_X86_64_TPOFF64;
#else
constexpr uint32_t kThreadOffset = R_AARCH64_TLS_TPREL;
#endif

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Reads the dynamic symbols of a file, and its relocation for a variable in static TLS.
struct ElfFile {
  std::string bytes;
  const Elf64_Sym* symbol = nullptr;
  // The address of the word that has the offset from the thread pointer.
  std::optional<uint64_t> tp_offset_slot;

  explicit ElfFile(const std::string& path) {
    // The file is large, because it has debug information.
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    bytes.resize(static_cast<size_t>(file.tellg()));
    file.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto* header = At<Elf64_Ehdr>(0);
    const auto* sections = At<Elf64_Shdr>(header->e_shoff);
    const Elf64_Shdr* symbols = nullptr;
    for (int i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type == SHT_DYNSYM) symbols = &sections[i];
    }
    if (symbols == nullptr) return;
    const auto* table = At<Elf64_Sym>(symbols->sh_offset);
    const char* names = At<char>(sections[symbols->sh_link].sh_offset);
    for (size_t i = 0; i < symbols->sh_size / sizeof *table; ++i) {
      if (std::strcmp(names + table[i].st_name, kSymbol) == 0) symbol = &table[i];
    }
    for (int i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type != SHT_RELA) continue;
      const auto* relocations = At<Elf64_Rela>(sections[i].sh_offset);
      for (size_t r = 0; r < sections[i].sh_size / sizeof *relocations; ++r) {
        const bool is_ours = &table[ELF64_R_SYM(relocations[r].r_info)] == symbol;
        if (is_ours && ELF64_R_TYPE(relocations[r].r_info) == kThreadOffset) {
          tp_offset_slot = relocations[r].r_offset;
        }
      }
    }
  }

  template <typename T>
  const T* At(uint64_t offset) const {
    return reinterpret_cast<const T*>(bytes.data() + offset);
  }
};

// Reads a protobuf message in which all fields are length-delimited, as in the messages read here.
// Next() returns false at the end.
struct Message {
  explicit Message(std::string_view content) : rest(content) {}

  bool Next(int* field, std::string_view* content) {
    if (rest.empty()) return false;
    const uint64_t tag = Varint();
    EXPECT_EQ(tag & 7, 2u);
    const uint64_t size = Varint();
    EXPECT_LE(size, rest.size());
    *field = static_cast<int>(tag >> 3);
    *content = rest.substr(0, size);
    rest.remove_prefix(std::min<size_t>(size, rest.size()));
    return true;
  }

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; !rest.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest.front());
      rest.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  std::string_view rest;
};

// Returns the content of the last field with this number.
std::string_view Field(std::string_view message, int wanted) {
  Message fields(message);
  std::string_view found;
  int field = 0;
  std::string_view content;
  while (fields.Next(&field, &content)) {
    if (field == wanted) found = content;
  }
  return found;
}

void ReadPayload(std::string_view payload, OutsideProcessContext& context) {
  Message fields(payload);
  int field = 0;
  std::string_view pair;
  while (fields.Next(&field, &pair)) {
    if (field != 2) continue;  // ProcessContext.attributes
    const std::string_view key = Field(pair, 1);
    const std::string_view value = Field(pair, 2);
    if (key == "threadlocal.schema_version") context.schema = Field(value, 1);
    if (key != "threadlocal.attribute_key_map") continue;
    Message values(Field(value, 5));
    std::string_view element;
    int number = 0;
    while (values.Next(&number, &element)) context.key_map.emplace_back(Field(element, 1));
  }
}

}  // namespace

std::string OutsideReader::ReadBytes(uint64_t address, size_t size) const {
  std::string bytes(size, '\0');
  const iovec to{bytes.data(), size};
  const iovec from{reinterpret_cast<void*>(address), size};
  const ssize_t read = process_vm_readv(pid_, &to, 1, &from, 1, 0);
  bytes.resize(read < 0 ? 0 : static_cast<size_t>(read));
  return bytes;
}

template <typename T>
T OutsideReader::Read(uint64_t address) const {
  T value{};
  const std::string bytes = ReadBytes(address, sizeof value);
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::optional<OutsideProcessContext> OutsideReader::Process() const {
  for (const std::string& line : Lines("/proc/" + std::to_string(pid_) + "/maps")) {
    if (line.find("/memfd:OTEL_CTX") == std::string::npos &&
        line.find("[anon_shmem:OTEL_CTX]") == std::string::npos &&
        line.find("[anon:OTEL_CTX]") == std::string::npos) {
      continue;
    }
    const uint64_t header = std::strtoull(line.c_str(), nullptr, 16);
    if (ReadBytes(header, 8) != "OTEL_CTX") continue;
    OutsideProcessContext context;
    context.mapping = line;
    context.version = Read<uint32_t>(header + 8);
    context.published_at_ns = Read<uint64_t>(header + 16);
    const auto size = Read<uint32_t>(header + 12);
    ReadPayload(ReadBytes(Read<uint64_t>(header + 24), size), context);
    EXPECT_EQ(Read<uint64_t>(header + 16), context.published_at_ns) << "changed meanwhile";
    return context;
  }
  return std::nullopt;
}

std::string OutsideReader::CheckSymbol() const {
  const ElfFile file(library_);
  if (file.symbol == nullptr) return "not in .dynsym";
  if (ELF64_ST_TYPE(file.symbol->st_info) != STT_TLS) return "no TLS symbol";
  if (ELF64_ST_BIND(file.symbol->st_info) != STB_GLOBAL) return "not global";
  if (file.symbol->st_size != sizeof(void*)) return "no pointer";
  return file.tp_offset_slot ? "" : "its model is not initial-exec";
}

std::optional<int64_t> OutsideReader::OffsetFromThreadPointer() const {
  if (!offset_) offset_ = FindOffset();
  return offset_;
}

std::optional<int64_t> OutsideReader::FindOffset() const {
  const ElfFile file(library_);
  if (!file.tp_offset_slot) return std::nullopt;
  for (const std::string& line : Lines("/proc/" + std::to_string(pid_) + "/maps")) {
    if (!line.ends_with(library_)) continue;
    const uint64_t base = std::strtoull(line.c_str(), nullptr, 16);  // address of the first mapping
    return Read<int64_t>(base + *file.tp_offset_slot);
  }
  return std::nullopt;
}

std::map<pid_t, OutsideThreadContext> OutsideReader::Threads() const {
  std::map<pid_t, OutsideThreadContext> contexts;
  const std::optional<int64_t> offset = OffsetFromThreadPointer();
  if (!offset) return contexts;
  DIR* const tasks = opendir(("/proc/" + std::to_string(pid_) + "/task").c_str());
  if (tasks == nullptr) return contexts;
  while (const dirent* entry = readdir(tasks)) {
    const pid_t tid = std::atoi(entry->d_name);
    const auto context = tid == 0 ? std::nullopt : ReadThread(tid, *offset);
    if (context) contexts[tid] = *context;
  }
  closedir(tasks);
  return contexts;
}

std::optional<OutsideThreadContext> OutsideReader::Thread(pid_t tid) const {
  const std::optional<int64_t> offset = OffsetFromThreadPointer();
  return offset ? ReadThread(tid, *offset) : std::nullopt;
}

namespace {

// Returns the thread pointer of a stopped thread.
std::optional<uint64_t> ThreadPointer(pid_t tid) {
#ifdef __x86_64__
  user_regs_struct registers{};
  if (ptrace(PTRACE_GETREGS, tid, nullptr, &registers) != 0) return std::nullopt;
  return registers.fs_base;
#else
  uint64_t pointer = 0;
  iovec into{&pointer, sizeof pointer};
  const auto type = reinterpret_cast<void*>(uint64_t{NT_ARM_TLS});
  if (ptrace(PTRACE_GETREGSET, tid, type, &into) != 0) return std::nullopt;
  return pointer;
#endif
}

}  // namespace

std::optional<OutsideThreadContext> OutsideReader::ReadThread(pid_t tid, int64_t offset) const {
  if (ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) return std::nullopt;
  ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
  int status = 0;
  waitpid(tid, &status, __WALL);
  std::optional<OutsideThreadContext> context;
  if (const std::optional<uint64_t> thread_pointer = ThreadPointer(tid)) {
    const auto record = Read<uint64_t>(*thread_pointer + static_cast<uint64_t>(offset));
    if (record != 0) context = ReadRecord(record);
  }
  ptrace(PTRACE_DETACH, tid, nullptr, nullptr);
  return context;
}

OutsideThreadContext OutsideReader::ReadRecord(uint64_t address) const {
  EXPECT_EQ(address % 2, 0u);
  OutsideThreadContext context;
  context.trace_id = Hex(ReadBytes(address, 16));
  context.span_id = Hex(ReadBytes(address + 16, 8));
  context.valid = Read<uint8_t>(address + 24);
  context.flags = Read<uint8_t>(address + 25);
  const auto size = Read<uint16_t>(address + 26);
  EXPECT_LE(size, 640 - 28);
  const std::string attributes = ReadBytes(address + 28, size);
  for (size_t at = 0; at + 2 <= attributes.size();) {
    const auto key = static_cast<uint8_t>(attributes[at]);
    const size_t length = static_cast<uint8_t>(attributes[at + 1]);
    EXPECT_LE(at + 2 + length, attributes.size());
    context.attributes[key] = attributes.substr(at + 2, length);
    at += 2 + length;
  }
  return context;
}

}  // namespace jprof::test
