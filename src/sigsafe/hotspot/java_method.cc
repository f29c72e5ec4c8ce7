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

constexpr uint64_t kWord = 8;

bool LoadPointer(const VmField& field, uint64_t object, uint64_t* to) {
  int64_t value = 0;
  if (!field.Load(object, &value) || value == 0 || value % 8 != 0) return false;
  *to = static_cast<uint64_t>(value);
  return true;
}

// Returns an id that consists of the mark, a check and the address of `method`; 0 if the address
// has more than 48 bits.
uint64_t AddressAsId(uint64_t method, uint64_t const_method) {
  return method >> kMethodAddressBits == 0 ? MarkedAddress({method, MethodCheck(const_method)}) : 0;
}

// Returns the id of the method with the number `idnum` from the table of ids of its class,
// `holder`; 0 if the id is not found. The table consists of its length and then an id for each
// idnum (jdk-17+35 src/hotspot/share/oops/instanceKlass.cpp, InstanceKlass::jmethod_id_or_null).
uint64_t IdOf(const HotspotLayout& vm, uint64_t holder, uint64_t idnum) {
  uint64_t ids = 0;
  uint64_t count = 0;
  uint64_t id = 0;
  if (!LoadPointer(vm.klass_method_ids, holder, &ids) || !GuardedLoad(ids, &count) ||
      idnum >= count || !GuardedLoad(ids + (idnum + 1) * kWord, &id)) {
    return 0;
  }
  return id;
}

}  // namespace

bool LoadJavaMethod(const HotspotLayout& vm, uint64_t method, JavaMethod* to) {
  int64_t idnum = 0;
  int64_t flags = 0;
  uint64_t constants = 0;
  uint64_t holder = 0;
  if (method == 0 || method % kWord != 0 ||
      !LoadPointer(vm.method_const, method, &to->const_method) ||
      !LoadPointer(vm.const_constants, to->const_method, &constants) ||
      !LoadPointer(vm.pool_holder, constants, &holder) ||
      !vm.const_idnum.Load(to->const_method, &idnum) ||
      !vm.method_access_flags.Load(method, &flags)) {
    return false;
  }
  const bool has_own_number = (flags & kHandleIntrinsic) != kHandleIntrinsic;
  to->id = has_own_number ? IdOf(vm, holder, static_cast<uint64_t>(idnum)) : 0;
  if (to->id == 0) to->id = AddressAsId(method, to->const_method);
  to->is_native = (flags & kAccNative) != 0;
  return true;
}

int32_t BytecodeIndexOf(const HotspotLayout& vm, const JavaMethod& method, uint64_t bcp) {
  int64_t size = 0;
  if (!vm.const_code_size.Load(method.const_method, &size)) return -1;
  const uint64_t index = bcp - (method.const_method + vm.const_method_size);
  return index < static_cast<uint64_t>(size) ? static_cast<int32_t>(index) : -1;
}

}  // namespace jprof
