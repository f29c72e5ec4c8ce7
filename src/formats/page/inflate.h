// Inflate: unpacks DEFLATE (RFC 1951). For what the build has packed: small, and not fast. Any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace jprof {

// nullopt unless `packed` is one complete stream, with nothing behind it, of exactly `size` bytes.
std::optional<std::string> Inflate(std::span<const uint8_t> packed, size_t size);

}  // namespace jprof
