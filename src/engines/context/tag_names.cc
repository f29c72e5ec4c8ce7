#include "engines/context/tag_names.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "os/read_file.h"

namespace jprof {
namespace {

// ProcessContext publishes the names of tags for readers outside the process (OpenTelemetry's
// process context, OTEP 4719), so that these readers understand the records of otel_thread_ctx_v1
// (OTEP 4947).
//
//   mapping "OTEL_CTX" │ header: signature, version, size, time, address │ payload A │ payload B │
//
// The header points to one of the two payloads. An update writes the other one; the header's time
// is 0 until the update is complete. The mapping exists until the process ends. A forked child does
// not have it.
//
// One object per process. Thread-safe; not for signal handlers.
class ProcessContext {
 public:
  static constexpr uint32_t kVersion = 2;
  // The name of the schema of thread contexts. Readers know this name today; OpenTelemetry will
  // replace it with `tls_v1`.
  static constexpr char kSchema[] = "tlsdesc_v1_dev";

  static ProcessContext& OfProcess();

  // Publishes `names`; the index of a name is its key. The first call makes the mapping. Returns an
  // Error and publishes nothing if another library has already made such a mapping in this process,
  // if the mapping cannot be made, or if the names together are too long.
  Status Publish(const std::vector<std::string>& names);

  // Does the same as Publish, but has no effect before Publish has made the mapping.
  void Update(const std::vector<std::string>& names);

 private:
  struct Header;

  ProcessContext() = default;

  // Makes the mapping and sets header_. REQUIRES: mutex_ is held.
  Status Map();
  // Writes the names and publishes them. REQUIRES: mutex_ is held; header_ is set.
  Status Write(const std::vector<std::string>& names);

  std::mutex mutex_;
  Header* header_ = nullptr;  // guarded by mutex_; nullptr until the mapping is made
};

constexpr char kName[] = "OTEL_CTX";
constexpr size_t kHeaderBytes = 32;
// The maximum number of bytes that a name and its protobuf fields take in the payload.
constexpr size_t kNameBytes = TagNames::kMaxNameBytes + 16;
constexpr size_t kPayloadBytes = TagNames::kMaxNames * kNameBytes + 256;
constexpr size_t kMappingBytes = kHeaderBytes + 2 * kPayloadBytes;
// Constants of Linux include/uapi/linux/prctl.h and memfd.h, which glibc 2.17's headers lack.
constexpr int kSetVma = 0x53564d41;
constexpr int kSetVmaAnonName = 0;
constexpr unsigned kCloseOnExec = 1;

void AppendVarint(size_t number, std::string& out) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// Appends a length-delimited protobuf field: a string or a message.
void AppendField(int field, const std::string& content, std::string& out) {
  out += static_cast<char>(field << 3 | 2);
  AppendVarint(content.size(), out);
  out += content;
}

std::string TextValue(const std::string& text) {
  std::string value;
  AppendField(1, text, value);  // AnyValue.string_value
  return value;
}

// Appends a KeyValue of ProcessContext.attributes (OTEP 4719).
void AppendAttribute(const std::string& key, const std::string& value, std::string& out) {
  std::string pair;
  AppendField(1, key, pair);
  AppendField(2, value, pair);
  AppendField(2, pair, out);
}

std::string PayloadOf(const std::vector<std::string>& names) {
  std::string array;
  for (const std::string& name : names) AppendField(1, TextValue(name), array);
  std::string map;
  AppendField(5, array, map);  // AnyValue.array_value
  std::string payload;
  AppendAttribute("threadlocal.schema_version", TextValue(ProcessContext::kSchema), payload);
  AppendAttribute("threadlocal.attribute_key_map", map, payload);
  return payload;
}

Error Failed(const char* call) {
  return Error(std::string(call) + " for the mapping " + kName + ": " + std::strerror(errno));
}

void NameMapping(void* mapping) {
  // Names an anonymous mapping. Has no effect on a kernel that does not support such names.
  prctl(kSetVma, kSetVmaAnonName, mapping, kMappingBytes, kName);
}

struct ProcessContext::Header {
  char signature[8];  // "OTEL_CTX"
  uint32_t version;
  uint32_t payload_size;
  std::atomic<uint64_t> published_at_ns;  // by CLOCK_BOOTTIME; 0 during an update
  const char* payload;                    // the payload that is published
};

ProcessContext& ProcessContext::OfProcess() {
  static auto* const context = new ProcessContext;  // lives as long as the process
  return *context;
}

Status ProcessContext::Publish(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  if (header_ == nullptr) {
    const Status mapped = Map();
    if (!mapped) return mapped;
  }
  return Write(names);
}

void ProcessContext::Update(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  if (header_ != nullptr) static_cast<void>(Write(names));
}

Status ProcessContext::Map() {
  const Result<std::string> maps = ReadFile("/proc/self/maps");
  if (maps && maps.value().find(kName) != std::string::npos) {
    return Error("this process has a mapping OTEL_CTX of another library already");
  }
  const ScopedFd file(static_cast<int>(syscall(SYS_memfd_create, kName, kCloseOnExec)));
  const bool has_file = file.get() >= 0 && ftruncate(file.get(), kMappingBytes) == 0;
  void* const mapping =
      mmap(nullptr, kMappingBytes, PROT_READ | PROT_WRITE,
           has_file ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS, has_file ? file.get() : -1, 0);
  if (mapping == MAP_FAILED) return Failed("mmap");
  if (madvise(mapping, kMappingBytes, MADV_DONTFORK) != 0) {
    const Error failed = Failed("madvise(MADV_DONTFORK)");
    munmap(mapping, kMappingBytes);
    return failed;
  }
  NameMapping(mapping);
  header_ = static_cast<Header*>(mapping);
  return {};
}

// The order of the stores is part of the protocol, because a reader in another process can read the
// header at any moment. The time in the header is 0 while the version, the payload's address and
// the payload's size change. The first call writes the signature last.
Status ProcessContext::Write(const std::vector<std::string>& names) {
  static_assert(sizeof(Header) == kHeaderBytes);
  const std::string payload = PayloadOf(names);
  if (payload.size() > kPayloadBytes) return Error("the names of tags are too long together");
  char* const first = reinterpret_cast<char*>(header_ + 1);
  char* const next = header_->payload == first ? first + kPayloadBytes : first;
  header_->published_at_ns.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::copy(payload.begin(), payload.end(), next);
  header_->version = kVersion;
  header_->payload = next;
  header_->payload_size = static_cast<uint32_t>(payload.size());
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  header_->published_at_ns.store(
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec),
      std::memory_order_release);
  std::memcpy(header_->signature, kName, sizeof header_->signature);
  NameMapping(header_);
  return {};
}

}  // namespace

TagNames& TagNames::OfProcess() {
  static auto* const names = new TagNames;  // lives as long as the process
  return *names;
}

std::optional<uint8_t> TagNames::KeyOf(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(names_, name);
  if (known != names_.end()) return static_cast<uint8_t>(known - names_.begin());
  if (names_.size() == kMaxNames || name.size() > kMaxNameBytes) return std::nullopt;
  names_.emplace_back(name);
  ProcessContext::OfProcess().Update(names_);
  return static_cast<uint8_t>(names_.size() - 1);
}

Status TagNames::Publish() const {
  const std::lock_guard lock(mutex_);
  return ProcessContext::OfProcess().Publish(names_);
}

std::vector<std::string> TagNames::All() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

}  // namespace jprof
