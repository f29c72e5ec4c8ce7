// ClassMaker makes class files byte by byte, including files that no compiler makes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace jprof {

using ClassBytes = std::vector<uint8_t>;

constexpr uint16_t kStatic = 8;    // ACC_STATIC
constexpr uint8_t kReturn = 0xB1;  // the instruction return

// Returns the values as big-endian integers of two bytes each.
ClassBytes Shorts(const std::vector<uint32_t>& values);
ClassBytes operator+(ClassBytes left, const ClassBytes& right);

struct MadeMethod {
  uint16_t access_flags = 0;
  std::string name;
  std::string descriptor;
  uint16_t max_stack = 0;
  uint16_t max_locals = 0;
  ClassBytes code;                                   // empty if there is no attribute Code
  std::vector<std::vector<uint32_t>> handlers = {};  // start, end, handler, catch type
  std::vector<std::pair<std::string, ClassBytes>> tables = {};  // attributes of Code
  ClassBytes annotations = {};  // RuntimeVisibleAnnotations of the method
};

class ClassMaker {
 public:
  explicit ClassMaker(uint16_t major, const std::string& name = "Made",
                      const std::string& super = "java/lang/Object");  // "" for none

  // Each adds an entry to the constant pool and returns its index.
  uint16_t Utf8(const std::string& text);
  uint16_t Class(const std::string& name);
  uint16_t MethodOf(const std::string& owner, const std::string& name,
                    const std::string& descriptor);
  void FillPool(uint32_t count);

  ClassMaker& Add(const MadeMethod& method);
  ClassBytes Bytes() const;

 private:
  uint16_t Entry(const ClassBytes& bytes);

  uint16_t major_;
  uint16_t this_class_;
  uint16_t super_class_;
  uint32_t pool_count_ = 1;
  ClassBytes pool_;
  uint16_t method_count_ = 0;
  ClassBytes methods_;
};

}  // namespace jprof
