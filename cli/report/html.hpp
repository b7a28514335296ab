// Pieces of a page: text made safe, and tables and plots as HTML and SVG that stand on their own, without script or
// fetched parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace report {

std::string html_escape(std::string_view);

// A whole page around `body`, light or dark as the reader's system is.
std::string page(const std::string& title, const std::string& body);

struct cell {
  std::string text;
  bool number = true;      // set to the right
  std::string style = {};  // "loss", "win", "ours" or empty
  std::string title = {};  // what a pointer held over it shows
};

std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<cell>>& rows,
                       const std::string& caption = {});

}  // namespace report
