// error: the exception type of every failure that the library reports. One sentence says what failed, where, and what
// to do about it. The library throws; it never prints and never aborts.
//
//   try {
//     upsweep::inclusive_scan(gpu, x, y);
//   } catch (const upsweep::error& e) {
//     if (e.why() == upsweep::fault::out_of_memory) upsweep::inclusive_scan(cpu, x, y);
//     std::fputs(e.what(), stderr);                            // "where: what; remedy"
//   }
//
// Programs that are compiled without exceptions: docs/building.md.
#pragma once

#include <stdexcept>
#include <string>

namespace upsweep {

enum class fault {
  bad_argument,    // sizes differ, spans overlap, unknown name
  unsupported,     // this device, type, operator or variant does not support the call
  no_device,       // no such device was found, or this build lacks the backend
  out_of_memory,   // the message says how much was requested and how much was free
  device_failure,  // the driver or runtime reported an error
};

class error : public std::runtime_error {
 public:
  // The message reads "where: what; remedy".
  error(fault why, std::string where, std::string what, std::string remedy = {})
      : std::runtime_error(where + ": " + what + (remedy.empty() ? "" : "; " + remedy)),
        why_(why),
        where_(std::move(where)),
        what_(std::move(what)),
        remedy_(std::move(remedy)) {}

  fault why() const noexcept { return why_; }
  const std::string& where() const noexcept { return where_; }
  const std::string& problem() const noexcept { return what_; }
  const std::string& remedy() const noexcept { return remedy_; }

 private:
  fault why_;
  std::string where_, what_, remedy_;
};

namespace core {
// Throws `what` from code of the library, which is compiled with exceptions even where the caller's file is not.
[[noreturn]] void throw_error(error&& what);
}  // namespace core

}  // namespace upsweep
