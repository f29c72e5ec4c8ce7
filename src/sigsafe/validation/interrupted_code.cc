#include "sigsafe/validation/interrupted_code.h"

#include <cstring>

#include "sigsafe/hotspot/code_cache.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/vm_texts.h"
#include "sigsafe/os/guarded_load.h"

namespace jprof {
namespace {

uint64_t FirstByte(uint64_t pc) {
  return (pc - InterruptedCode::kBefore) & ~uint64_t{sizeof(uint64_t) - 1};
}

void AppendVmText(const VmText& vm_text, BoundedText& text) {
  text.AppendCopy(vm_text.size,
                  [&](char* to) { return vm_text.CopyTo(reinterpret_cast<uint8_t*>(to)); });
}

// Appends a text that ends in a 0.
void AppendChars(uint64_t address, BoundedText& text) {
  for (uint32_t i = 0; i < InterruptedCode::kMostName; ++i) {
    uint8_t byte = 0;
    if (!GuardedLoad(address + i, &byte) || byte == 0) return;
    const char character = static_cast<char>(byte);
    text.Append({&character, 1});
  }
}

void AppendName(const HotspotLayout& vm, const CodeBlob& blob, BoundedText& text) {
  int64_t value = 0;
  if (blob.is_nmethod) {
    if (vm.nmethod_method.Load(blob.address, &value)) {
      AppendMethod(vm, static_cast<uint64_t>(value), text);
    }
  } else if (vm.blob_name.exists() && vm.blob_name.Load(blob.address, &value)) {
    AppendChars(static_cast<uint64_t>(value), text);
  }
}

}  // namespace

InterruptedCode CodeAt(const HotspotLayout& vm, uint64_t pc) {
  InterruptedCode code;
  CodeBlob blob;
  if (!FindCodeBlob(vm, pc, &blob)) return code;
  code.begin = blob.code_begin;
  code.end = blob.code_end;
  code.is_method = blob.is_nmethod;
  const uint64_t from = FirstByte(pc);
  for (uint32_t i = 0; i < InterruptedCode::kBytes; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    if (GuardedLoad(from + i, &word)) std::memcpy(code.bytes + i, &word, sizeof word);
  }
  BoundedText name(code.name, InterruptedCode::kMostName);
  AppendName(vm, blob, name);
  return code;
}

void AppendMethod(const HotspotLayout& vm, uint64_t method, BoundedText& text) {
  JavaMethod java;
  VmClassTexts of_class;
  VmMethodTexts of_method;
  if (!vm.names_of_methods.symbol_length.exists() || !LoadJavaMethod(vm, method, &java) ||
      !FindTexts(vm, java, &of_class) || !FindTexts(vm, java, &of_method)) {
    text.Append("?");
    return;
  }
  const size_t from = text.view().size();
  AppendVmText(of_class.name, text);
  text.Replace(from, '/', '.');
  text.Append(".");
  AppendVmText(of_method.name, text);
  AppendVmText(of_method.descriptor, text);
}

void AppendPlace(uint64_t pc, uint64_t java_pc, const InterruptedCode& code, BoundedText& text) {
  const bool is_generated = code.begin != 0;
  if (is_generated) {
    text.Append("at 0x").AppendHex(pc - code.begin);
    text.Append(" of 0x").AppendHex(code.end - code.begin).Append(" bytes, ");
  }
  text.Append("Java at 0x").AppendHex(java_pc);
  if (!is_generated) return;
  text.Append(":");
  for (uint32_t i = 0; i < InterruptedCode::kBytes; ++i) {
    const bool is_interrupted = FirstByte(pc) + i == pc;
    text.Append(" ");
    if (is_interrupted) text.Append("[");
    text.AppendHex(code.bytes[i], 2);
    if (is_interrupted) text.Append("]");
  }
}

}  // namespace jprof
