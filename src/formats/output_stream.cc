#include "formats/output_stream.h"

#include "base/printable_text.h"
#include "base/scoped_fd.h"

namespace jprof {

void OutputStream::Flush() {
  if (is_terminal_) buffer_ = PrintableText(buffer_, Layout::kKeep);
  if (status_.ok()) status_ = Deliver(buffer_);
  buffer_.clear();
}

Status OutputStream::Deliver(std::string_view bytes) { return WriteAll(fd_, bytes, name_); }

Status OutputStream::Finish() {
  Flush();
  if (status_.ok()) status_ = End();
  return status_;
}

}  // namespace jprof
