// Reads class files with probes for tests, independently of the code under test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "instrument/add_probes.h"
#include "instrument/class_maker.h"

namespace jprof {

struct ReadMethod {
  uint32_t max_stack = 0;
  uint32_t max_locals = 0;
  ClassBytes code;
  std::vector<std::vector<uint32_t>> handlers;  // start, end, handler, catch type
  std::map<std::string, ClassBytes> tables;     // attributes of Code
  ClassBytes whole;
};

struct ReadClass {
  // Reads a class file. Returns nullopt if it is malformed.
  static std::optional<ReadClass> Read(const ClassBytes& bytes);

  // Returns the index in the pool of the method `name` of the class P; 0 if there is none.
  uint32_t ProbeIndex(const std::string& name) const;

  std::vector<std::string> texts;  // indexed as the pool: "Code", "class P", "P.entry", "int 5"
  std::map<std::string, ReadMethod> methods;  // keys: name and descriptor
};

// Returns the frames of a stack map, each as "0 [I,J] [O]": offset, locals, stack. T top, I
// integer, F float, D double, J long, N null, U this uninitialized, O object, @bci uninitialized.
std::vector<std::string> Frames(const ClassBytes& stack_map, const std::string& initial_locals);

// A class with probes that call class P in every method, with ids from `first_id` on.
struct Probed {
  ReadClass read;
  instrument::ProbeReport report;
  ClassBytes bytes;
};
Probed ProbeAll(const ClassBytes& class_file, uint32_t first_id = 7);

// Return the code of the probes. REQUIRES: id is at most 32767, and token at most 255.
ClassBytes EntryCode(const ReadClass& read, uint32_t id, uint8_t token);
ClassBytes ExitCode(const ReadClass& read, uint32_t id, uint8_t token);
ClassBytes HandlerCode(const ReadClass& read, uint32_t id, uint8_t token);

}  // namespace jprof
