// Names of methods, read from the VM's memory in order to compare them.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/vm_texts.h"

namespace jprof::test {

// True if the Method at this address has the name and the descriptor. Async-signal-safe.
inline bool IsNamed(const HotspotLayout& vm, uint64_t method, std::string_view name,
                    std::string_view descriptor) {
  JavaMethod java;
  VmMethodTexts texts;
  uint8_t copy[64];
  if (!LoadJavaMethod(vm, method, &java) || !FindTexts(vm, java, &texts)) return false;
  const auto is = [&](const VmText& text, std::string_view expected) {
    return text.size == expected.size() && text.size <= sizeof copy && text.CopyTo(copy) &&
           memcmp(copy, expected.data(), expected.size()) == 0;
  };
  return is(texts.name, name) && is(texts.descriptor, descriptor);
}

// Returns "package/Class.method(I)V" for the Method at this address.
inline std::string MethodText(const HotspotLayout& vm, uint64_t method) {
  JavaMethod java;
  VmMethodTexts texts;
  VmClassTexts declaring;
  if (!LoadJavaMethod(vm, method, &java) || !FindTexts(vm, java, &texts) ||
      !FindTexts(vm, java, &declaring)) {
    return "unreadable";
  }
  const auto text = [](const VmText& of) {
    std::string copy(of.size, '?');
    return of.CopyTo(reinterpret_cast<uint8_t*>(copy.data())) ? copy : "unreadable";
  };
  return text(declaring.name) + "." + text(texts.name) + text(texts.descriptor);
}

}  // namespace jprof::test
