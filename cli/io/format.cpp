#include "cli/io/elements.hpp"
#include "cli/io/packed.hpp"
#include "upsweep/error.hpp"

std::string extension_of(const std::string& whole) {
  const std::string path(without_packing(whole));
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || path.find('/', dot) != std::string::npos) return {};
  std::string extension = path.substr(dot + 1);
  for (char& c : extension) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return extension;
}

std::optional<file_format> format_of_extension(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension == "npy" || extension == "npz") return file_format::npy;
  if (extension == "csv" || extension == "tsv" || extension == "txt") return file_format::csv;
  if (extension == "raw" || extension == "bin" || extension == "dat") return file_format::raw;
  return std::nullopt;
}

file_format format_named(const std::string& name) {
  if (name == "npy") return file_format::npy;
  if (name == "csv") return file_format::csv;
  if (name == "raw") return file_format::raw;
  throw upsweep::error(upsweep::fault::bad_argument, "format '" + name + "'", "there is no such format",
                       "name one of npy, csv, raw");
}
