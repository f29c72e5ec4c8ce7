#include "sigsafe/hotspot/java_method.h"

namespace jprof {
namespace {

// JVMS 4.6, ACC_NATIVE and ACC_SYNTHETIC.
constexpr int64_t kAccNative = 0x0100;
constexpr int64_t kAccSynthetic = 0x1000;
// The flags of the methods that the VM makes for method handles, such as linkToStatic. All of them
// have the idnum 0 in the class MethodHandle, although an ordinary method of this class has the
// idnum 0 too. The methods for method handles are never freed (jdk-17+35
// src/hotspot/share/oops/method.cpp, make_method_handle_intrinsic).
constexpr int64_t kHandleIntrinsic = kAccNative | kAccSynthetic;

// Returns a hash of kVersionBits bits.
constexpr uint64_t Hash(uint64_t word, uint64_t other) {
  return ((word ^ other * 0xbb67ae8584caa73b) * 0x9e3779b97f4a7c15) >> (64 - kVersionBits);
}

// Returns an id that consists of the mark, a hash and the address of the Method; 0 if the address
// has more than 48 bits. If the VM has put another Method at the address of a freed one, the hashes
// of the two differ with a probability of 8191 in 8192, unless both methods and their classes have
// the same names.
uint64_t AddressAsId(const HotspotLayout& vm, const JavaMethod& method) {
  const NameLayout& names = vm.names_of_methods;
  int64_t index = 0;
  uint64_t name = 0;
  int64_t class_name = 0;
  if (method.address >> kMethodAddressBits != 0 ||
      !names.klass_name.Load(method.holder, &class_name) ||
      !names.method_name.Load(method.const_method, &index) ||
      !GuardedLoad(method.constants + names.pool_size + static_cast<uint64_t>(index) * kWordSize,
                   &name)) {
    return 0;
  }
  const uint64_t hash = Hash(method.const_method, static_cast<uint64_t>(class_name) ^ name << 1);
  return kAddressMark | hash << kMethodAddressBits | method.address;
}

}  // namespace

bool LoadJavaMethod(const HotspotLayout& vm, uint64_t method, JavaMethod* to) {
  int64_t idnum = 0;
  int64_t flags = 0;
  int64_t code_size = 0;
  to->address = method;
  if (method == 0 || method % kWordSize != 0 ||
      !vm.method_const.LoadPointer(method, &to->const_method) ||
      !vm.const_constants.LoadPointer(to->const_method, &to->constants) ||
      !vm.pool_holder.LoadPointer(to->constants, &to->holder) ||
      !vm.const_idnum.Load(to->const_method, &idnum) ||
      !vm.const_code_size.Load(to->const_method, &code_size) ||
      !vm.method_access_flags.Load(method, &flags)) {
    return false;
  }
  to->is_native = (flags & kAccNative) != 0;
  int64_t number = 0;
  if (vm.klass_number.exists()) {
    if (!vm.klass_number.Load(to->holder, &number)) return false;
    number = static_cast<int64_t>(static_cast<uint64_t>(number) >> kClassFlagBits);
    if (number == 0) return false;
  }
  const bool has_number = number != 0 && number >> kClassNumberBits == 0 &&
                          (flags & kHandleIntrinsic) != kHandleIntrinsic;
  if (!has_number) {
    to->id = AddressAsId(vm, *to);
    return to->id != 0;
  }
  const uint64_t version = Hash(to->const_method, static_cast<uint64_t>(code_size));
  to->id = kNumberMark | version << (kIdnumBits + kClassNumberBits) |
           static_cast<uint64_t>(number) << kIdnumBits | static_cast<uint64_t>(idnum);
  return true;
}

int32_t BytecodeIndexOf(const HotspotLayout& vm, const JavaMethod& method, uint64_t bcp) {
  int64_t size = 0;
  if (!vm.const_code_size.Load(method.const_method, &size)) return -1;
  const uint64_t index = bcp - (method.const_method + vm.const_method_size);
  return index < static_cast<uint64_t>(size) ? static_cast<int32_t>(index) : -1;
}

int32_t StoredBytecodeIndex(const HotspotLayout& vm, const JavaMethod& method, uint64_t word) {
  int64_t size = 0;
  // A frame that has no pointer yet has the word 0.
  const bool is_index = word != 0 && vm.const_code_size.Load(method.const_method, &size) &&
                        word < static_cast<uint64_t>(size);
  return is_index ? static_cast<int32_t>(word) : BytecodeIndexOf(vm, method, word);
}

}  // namespace jprof
