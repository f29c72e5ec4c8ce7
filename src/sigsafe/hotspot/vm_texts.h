// VmMethodTexts and VmClassTexts: where the VM's memory has the names of a method and of its class.
//
// Async-signal-safe. A method that is on the stack of the calling thread keeps its texts in place:
// the VM frees neither the method nor its class. Of another method the texts can be invalid, and
// reading them can fail.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/hotspot/java_method.h"

namespace jprof {

// Bytes in the VM's memory: text in modified UTF-8, or the compressed table of lines.
struct VmText {
  uint64_t address = 0;
  uint32_t size = 0;

  // Copies the bytes to `to`. Returns false if they cannot be read.
  [[nodiscard]] bool CopyTo(uint8_t* to) const;
};

struct VmMethodTexts {
  VmText name;
  VmText descriptor;
  VmText lines;  // the compressed table of lines, without its end; empty if there is none
  uint32_t modifiers = 0;
};

struct VmClassTexts {
  VmText name;              // the internal form: java/lang/String
  VmText source_file;       // empty if the class file has none
  VmText loader_class;      // empty if it is not known
  VmText loader_name;       // empty if the loader has no name
  bool has_loader = false;  // false for the boot loader
  uint32_t modifiers = 0;
};

// Find the texts of a method or of its class. Return false if a name cannot be read. REQUIRES: the
// layout has NameLayout::symbol_length.
[[nodiscard]] bool FindTexts(const HotspotLayout& vm, const JavaMethod& method, VmMethodTexts* to);
[[nodiscard]] bool FindTexts(const HotspotLayout& vm, const JavaMethod& method, VmClassTexts* to);

}  // namespace jprof
