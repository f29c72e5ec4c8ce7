// Log: writes one line per message, to stderr or to the file that the option `log=` names.
//
// Thread-safe. Not async-signal-safe: signal handlers count events instead of logging them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kNone };

class Log {
 public:
  // Drops messages below `level` from now on.
  static void SetLevel(LogLevel level);

  // Appends messages to the file `path` from now on; an empty path means stderr. On failure the
  // destination does not change.
  static Status SetFile(std::string_view path);

  // Each of these functions writes a printf-style message with one write(2), as "[jprof]
  // message\n". Only a message of Info can have several lines, and each of them gets the prefix.
  // The prefix of debug messages, warnings and errors also names the level.
  static void Debug(const char* format, ...) __attribute__((format(printf, 1, 2)));
  static void Info(const char* format, ...) __attribute__((format(printf, 1, 2)));
  static void Warn(const char* format, ...) __attribute__((format(printf, 1, 2)));
  static void ErrorLine(const char* format, ...) __attribute__((format(printf, 1, 2)));
};

}  // namespace jprof
