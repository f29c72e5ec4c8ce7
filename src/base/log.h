// Log: one line per message, to stderr or to the file that the option `log=` names.
//
// Thread-safe. Not async-signal-safe: handlers count, they do not log.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kNone };

class Log {
 public:
  // Messages below `level` are dropped.
  static void SetLevel(LogLevel level);

  // Appends to `path` from now on; an empty path means stderr. On failure stderr stays.
  static Status SetFile(std::string_view path);

  // printf-style. The message is written with one write(2): "[jprof] message\n"; each line of an
  // answer begins so. Warnings and errors carry their level.
  static void Debug(const char* format, ...) __attribute__((format(printf, 1, 2)));
  static void Info(const char* format, ...) __attribute__((format(printf, 1, 2)));
  static void Warn(const char* format, ...) __attribute__((format(printf, 1, 2)));
  static void ErrorLine(const char* format, ...) __attribute__((format(printf, 1, 2)));
};

}  // namespace jprof
