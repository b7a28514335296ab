// Options shared by commands on files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/io/elements.hpp"
#include "upsweep/core/catalog.hpp"

struct device_options {
  std::string device, variant;
};

struct output_options {
  std::string path = "-", format;
};

// FILE, --format, --dtype, --as, --column, --separator, --header, --no-header. If the source is `narrow`, all built-in
// types are accepted.
void add_source_options(CLI::App& command, source_options&);
void add_device_options(CLI::App& command, device_options&);
void add_output_options(CLI::App& command, output_options&, const std::string& what);

// The requested device; else one that has the requested variant; else the best, or the CPU if the file `input` is so
// short that opening a GPU would take longer than the work. The variant must be one of these primitives ("scan").
upsweep::context open_context(const device_options&, const std::vector<std::string_view>& primitives,
                              const std::string& input = {});
// The full name of the requested variant: "scan/blelloch" for "blelloch" if that exists; empty if none was requested.
std::string variant_asked_for(const device_options&, const std::vector<std::string_view>& primitives);

// Parses "64M", "1.5G", "4096" as bytes. `option` is for error messages.
std::uint64_t bytes_of_text(const std::string& option, const std::string& text);

// The memory limit of a command: --memory, else half of the free memory of the machine and its container.
std::uint64_t memory_limit(const std::string& option);

// Parses an option's text as a number of the elements' type.
upsweep::scalar scalar_of_text(const std::string& option, const std::string& text, upsweep::dtype);

// Throws unless the source has one axis.
void require_one_axis(const element_source&, const std::string& verb);
