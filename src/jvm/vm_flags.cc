#include "jvm/vm_flags.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

// Returns the address of the JVMFlag with the name; 0 if this JVM has no such flag, or does not
// export flags.
uint64_t FindFlag(const VmStructs& structs, std::string_view name) {
  const std::optional<uint64_t> size = structs.tables.SizeOf("JVMFlag");
  const VmFields& fields = structs.fields;
  if (structs.statics.flags == nullptr || structs.statics.num_flags == nullptr || !size ||
      !fields.flag_name.exists() || !fields.flag_address) {
    return 0;
  }
  for (uint64_t i = 0; i < *structs.statics.num_flags; ++i) {
    const uint64_t flag = *structs.statics.flags + i * *size;
    const auto* own = *reinterpret_cast<const char* const*>(flag + fields.flag_name.offset);
    if (own != nullptr && name == own) return flag;
  }
  return 0;
}

// Returns a pointer to the value of the JVMFlag at `flag`.
template <typename T>
T* ValueOf(const VmStructs& structs, uint64_t flag) {
  return *reinterpret_cast<T* const*>(flag + *structs.fields.flag_address);
}

template <typename T>
std::optional<T> Flag(const VmStructs& structs, std::string_view name) {
  const uint64_t flag = FindFlag(structs, name);
  const T* const value = flag == 0 ? nullptr : ValueOf<T>(structs, flag);
  return value == nullptr ? std::nullopt : std::optional<T>(*value);
}

// True if the JVMFlag at `flag` was set when the JVM was started. The origin of a flag is in the lower
// bits of JVMFlag._flags. It is 0 for the default (jdk-11+28
// src/hotspot/share/runtime/flags/jvmFlag.hpp and jdk-25+36, VALUE_ORIGIN_MASK).
bool IsChosen(const VmStructs& structs, uint64_t flag) {
  constexpr int64_t kOriginMask = 15;
  int64_t bits = 0;
  return structs.fields.flag_bits.exists() && structs.fields.flag_bits.Load(flag, &bits) &&
         (bits & kOriginMask) != 0;
}

// Stores `value` by a system call, which fails where memory is not writable. Returns false then,
// and if the system call is forbidden.
bool StoreByKernel(uint64_t address, uint8_t value) {
  const iovec local = {&value, sizeof value};
  const iovec remote = {reinterpret_cast<void*>(address), sizeof value};
  return RawSyscall(SYS_process_vm_writev, RawSyscall(SYS_getpid), RawArgument(&local), 1,
                    RawArgument(&remote), 1, 0) == 1;
}

}  // namespace

std::optional<bool> BoolFlag(const VmStructs& structs, std::string_view name) {
  return Flag<bool>(structs, name);
}

std::optional<uint64_t> SizeFlag(const VmStructs& structs, std::string_view name) {
  return Flag<uint64_t>(structs, name);
}

bool HasTextFlag(const VmStructs& structs, std::string_view name) {
  return Flag<const char*>(structs, name).value_or(nullptr) != nullptr;
}

std::optional<RaisedFlag> RaisedFlag::Raise(const VmStructs& structs, std::string_view name) {
  const uint64_t flag = FindFlag(structs, name);
  if (flag == 0) return std::nullopt;
  if (IsChosen(structs, flag)) return RaisedFlag(0);
  const auto* const value = ValueOf<const uint8_t>(structs, flag);
  if (value == nullptr || *value > 1) return std::nullopt;
  if (*value == 1) return RaisedFlag(0);
  const auto address = reinterpret_cast<uint64_t>(value);
  if (!StoreByKernel(address, 1)) return std::nullopt;
  return RaisedFlag(address);
}

RaisedFlag::~RaisedFlag() {
  if (address_ != 0) static_cast<void>(StoreByKernel(address_, 0));
}

bool HasConcurrentCollector(const VmStructs& structs) {
  return BoolFlag(structs, "UseZGC").value_or(false) ||
         BoolFlag(structs, "UseShenandoahGC").value_or(false);
}

}  // namespace jprof
