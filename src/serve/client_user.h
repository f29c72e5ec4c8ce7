// The user who connected to this machine's loopback interface. Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <optional>

namespace jprof {

// The user of the socket at the other end of the TCP connection, as the kernel lists it; nullopt if
// it does not. Of a socket that was closed it may say root, which then reads no answer.
std::optional<uid_t> ClientUser(int connection);

}  // namespace jprof
