// Options that the commands on files share, and the opening of what they name.
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

// FILE, --format, --dtype, --as, --column, --separator, --header, --no-header. Where the source is `narrow`, every
// built-in type is taken.
void add_source_options(CLI::App& command, source_options&);
void add_device_options(CLI::App& command, device_options&);
void add_output_options(CLI::App& command, output_options&, const std::string& what);

// The device asked for; else one that has the variant asked for; else the best, or the CPU where the file `input` is so
// short that looking for a GPU would take longer than the work. The variant must be one of these primitives ("scan").
upsweep::context open_context(const device_options&, const std::vector<std::string_view>& primitives,
                              const std::string& input = {});
// The name of the variant asked for, in full: "scan/blelloch" for "blelloch", where that is one; empty for none.
std::string variant_asked_for(const device_options&, const std::vector<std::string_view>& primitives);

// "64M", "1.5G", "4096": bytes. `option` is for the error's sentence.
std::uint64_t bytes_of_text(const std::string& option, const std::string& text);

// How much memory a command may take: what --memory says, else half of what the machine and its container have free.
std::uint64_t memory_limit(const std::string& option);

// A number of the elements' type from an option's text.
upsweep::scalar scalar_of_text(const std::string& option, const std::string& text, upsweep::dtype);

// A sequence has one axis.
void require_one_axis(const element_source&, const std::string& verb);
