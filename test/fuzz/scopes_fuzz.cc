// libFuzzer target: whatever the debug information of a compiled method is, the reader of its
// scopes does not fault or hang, and returns no impossible answer. The input replaces the method's
// PcDescs (the places with debug information) and the UNSIGNED5 numbers that follow them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "os/fault_action.h"
#include "sigsafe/hotspot/compiled_scopes.h"
#include "sigsafe/hotspot/fake_vm.h"

namespace {

using jprof::CompiledScopes;
using jprof::test::FakeVm;

constexpr uint32_t kPlaces = 16;
constexpr int kScopesPerPlace = 16;
// Bounds the length of a chain of callers, which can be circular, as the walker's buffer does.
constexpr int kMostScopes = 64;

// Target: a compiled method with room for more debug information than an input has bytes.
class Target {
 public:
  Target() : faults_(std::move(jprof::FaultAction::Install()).value()) {
    FakeVm::Nmethod nmethod;
    nmethod.method = 0x1000;
    for (uint32_t place = 0; place < kPlaces; ++place) {
      nmethod.places.push_back({place * 8, {}});
      for (int scope = 0; scope < kScopesPerPlace; ++scope) {
        nmethod.places.back().scopes.push_back({0x2000, 1000 + scope});
      }
    }
    begin_ = vm_.AddNmethod(nmethod);
    if (!FindCodeBlob(vm_.layout(), begin_, &blob_)) std::abort();
    uint64_t information = 0;
    if (!vm_.layout().scopes_pcs_begin.Find(blob_.address, &information)) std::abort();
    information_ = reinterpret_cast<uint8_t*>(information);
  }

  void Replace(const uint8_t* data, size_t size) {
    constexpr size_t kRoom = kPlaces * (16 + kScopesPerPlace * 4);
    memcpy(information_, data, std::min(size, kRoom));
  }

  void ReadAll() const {
    for (uint64_t offset = 0; offset < kPlaces * 8 + 8; offset += 3) {
      for (const auto meaning : {jprof::PcMeaning::kNext, jprof::PcMeaning::kReturn}) {
        CompiledScopes scopes;
        if (CompiledScopes::Find(vm_.layout(), blob_, begin_ + offset, meaning, &scopes)) {
          ReadChain(&scopes);
        }
      }
    }
  }

 private:
  static void ReadChain(CompiledScopes* scopes) {
    CompiledScopes::Scope scope{};
    for (int i = 0; i < kMostScopes && !scope.outermost; ++i) {
      if (!scopes->Next(&scope)) return;
    }
  }

  jprof::FaultAction faults_;
  FakeVm vm_;
  uint64_t begin_ = 0;
  jprof::CodeBlob blob_{};
  uint8_t* information_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Target target;
  target.Replace(data, size);
  target.ReadAll();
  return 0;
}
