// Every failure the library reports: what went wrong, where, and what to do about it, in one sentence.
// The library throws; it never prints and never aborts.
#pragma once

#include <stdexcept>
#include <string>

namespace upsweep {

enum class fault {
  bad_argument,    // sizes differ, spans overlap, unknown name
  unsupported,     // this device, type, operator or variant cannot do it
  no_device,       // the device is not there, or the backend is not in this build
  out_of_memory,   // the message says how much was asked for and how much was free
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

}  // namespace upsweep
