// Recording: the events of a JFR file as the JDK's own reader (jdk.jfr.consumer) sees them.
//
// test/java/reader/RecordingReader.java reads the file, in a JVM of the JDK under test. The agent's
// own code is not involved.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "support/jvm/jdk.h"

namespace jprof::test {

// The text of a reference that resolves to nothing.
inline constexpr char kUnresolved[] = "<null>";

struct Frame {
  std::string method;  // "pkg.Class.method"
  int line = 0;
  std::string type;  // "JIT compiled", "Native", ...
};

struct Event {
  std::string type;
  std::map<std::string, std::string> fields;  // nested: "sampledThread.javaName"
  std::vector<Frame> frames;                  // innermost first

  bool Has(const std::string& name) const { return fields.count(name) != 0; }
  // Return the value of a field; an empty string or 0 if there is no such field.
  std::string Text(const std::string& name) const;
  int64_t Number(const std::string& name) const;
  bool HasFrame(const std::string& method) const;
  // True if the stack has all these methods, the callee first. Other frames can lie between them.
  bool HasFramesInOrder(const std::vector<std::string>& methods) const;
};

// Properties of a method that a frame names.
struct Method {
  std::string modifiers;  // in Java's words: "public static"
  std::string loader;     // the class loader's name, such as "app"
};

class Recording {
 public:
  explicit Recording(std::vector<Event> events, std::map<std::string, Method> methods = {})
      : events_(std::move(events)), methods_(std::move(methods)) {}

  // Returns an Error with the reader's message if the JDK cannot read the file to its end.
  static Result<Recording> Read(const Jdk& jdk, const std::string& path);
  // Reads many files with one JVM.
  static Result<std::vector<Recording>> ReadAll(const Jdk& jdk,
                                                const std::vector<std::string>& paths);

  const std::vector<Event>& events() const { return events_; }
  // Returns the properties of the methods, by "pkg.Class.method".
  const std::map<std::string, Method>& methods() const { return methods_; }
  std::vector<Event> OfType(const std::string& type) const;
  int64_t Count(const std::string& type) const;
  // Returns the sum of a numeric field over the events of the type.
  int64_t Sum(const std::string& type, const std::string& field) const;

 private:
  std::vector<Event> events_;
  std::map<std::string, Method> methods_;
};

}  // namespace jprof::test
