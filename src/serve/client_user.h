// ClientUser: finds the user who connected to this machine's loopback interface. Thread-safe: no
// state.
#pragma once

#include <sys/types.h>

#include <optional>

namespace jprof {

// Returns the user of the socket at the other end of the TCP connection, according to the list of
// the kernel. Returns nullopt if the kernel does not list that socket, or if that socket has been
// closed or shut down.
std::optional<uid_t> ClientUser(int connection);

}  // namespace jprof
