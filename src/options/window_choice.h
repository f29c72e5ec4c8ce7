// ReadWindow: begin=, end= and ttsp.
//
//   begin=com.acme.Shop.order,end=com.acme.Shop.ready   methods: a class before the last dot
//   begin=SafepointSynchronize::begin                   a function: with :: or without a dot
//
// Thread-safe: no state.
#pragma once

#include "base/result.h"
#include "options/options.h"
#include "options/parsed_arguments.h"

namespace jprof {

// REQUIRES: the engines and the filter have been read.
Status ReadWindow(const ParsedArguments& words, Options* options);

}  // namespace jprof
