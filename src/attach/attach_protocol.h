// The wire format of HotSpot's dynamic attach.
//
// A connection carries one request and one reply:
//   version 1, every JDK   "1" NUL command NUL argument NUL argument NUL argument NUL
//   version 2, JDK 24 on   "2" NUL size NUL, then as version 1 with any number and length of
//                          arguments
//   reply                  the decimal result, "\n", text until the end of the stream
// (JDK src/hotspot/share/services/attachListener.{hpp,cpp}, jdk-25+36; jdk8u
// hotspot/src/os/linux/vm/attachListener_linux.cpp.)
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

struct AttachRequest {
  std::string command;
  std::vector<std::string> arguments;  // at most three

  // True if the request fits version 1: at most 1024 bytes per argument.
  bool FitsVersion1() const;
};

enum class AttachVersion { k1, k2 };

std::string Encode(const AttachRequest& request, AttachVersion version);

struct AttachReply {
  int result = 0;
  std::string text;
};

// Splits a reply into the number in its first line and the text after it. Fails if the first line
// is not a number.
Result<AttachReply> ParseReply(std::string_view reply);

// The reply to "load", the command that loads an agent library.
struct LoadReply {
  bool loaded = false;  // true if the JVM has the library and has called its Agent_OnAttach
  int return_code = 0;  // the result of Agent_OnAttach
  std::string error;    // the JVM's reason if the library was not loaded; empty on JDK 8
};

LoadReply InterpretLoad(const AttachReply& reply);

}  // namespace jprof
