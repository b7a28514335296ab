#include <fmt/core.h>

#include <algorithm>

#include "cli/image/filters.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

// A part of the pipeline's text with its position.
struct part {
  std::string_view text;
  std::size_t at = 0;

  part trimmed() const {
    part p = *this;
    while (!p.text.empty() && p.text[0] == ' ') p.text.remove_prefix(1), ++p.at;
    while (!p.text.empty() && p.text.back() == ' ') p.text.remove_suffix(1);
    return p;
  }
  std::vector<part> split(char between) const {
    std::vector<part> all;
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t end = std::min(text.find(between, from), text.size());
      all.push_back(part{text.substr(from, end - from), at + from}.trimmed());
      from = end + 1;
    }
    return all;
  }
};

[[noreturn]] void refuse(const part& p, const std::string& what, const std::string& remedy) {
  throw error(fault::bad_argument, fmt::format("pipeline, character {}", p.at + 1), what, remedy);
}

std::string names_of_filters() {
  std::string all;
  for (const image_filter& f : image_filters()) all += (all.empty() ? "" : ", ") + std::string(f.name);
  return all;
}

image_step step_of_part(const part& p) {
  const std::size_t colon = std::min(p.text.find(':'), p.text.size());
  const part name = part{p.text.substr(0, colon), p.at}.trimmed();
  if (name.text.empty()) refuse(name, "a filter's name is missing", "write it as in 'gaussian:2 | sobel'");
  const auto& all = image_filters();
  const auto found = std::ranges::find(all, name.text, &image_filter::name);
  if (found == all.end())
    refuse(name, fmt::format("'{}' is not a filter", name.text), "the filters are " + names_of_filters());
  std::vector<std::string> given(found->parameters.size());
  std::vector<part> places(given.size(), name);
  if (colon < p.text.size()) {
    std::size_t place = 0;
    for (part value : part{p.text.substr(colon + 1), p.at + colon + 1}.split(',')) {
      if (const std::size_t equals = value.text.find('='); equals != std::string_view::npos) {
        const part key = part{value.text.substr(0, equals), value.at}.trimmed();
        const auto named = std::ranges::find(found->parameters, key.text, &filter_parameter::name);
        if (named == found->parameters.end())
          refuse(key, fmt::format("{} has no '{}'", found->name, key.text),
                 fmt::format("`upsweep image {} --help` lists its parameters", found->name));
        place = static_cast<std::size_t>(named - found->parameters.begin());
        value = part{value.text.substr(equals + 1), value.at + equals + 1}.trimmed();
      }
      if (place >= given.size())
        refuse(value, fmt::format("{} takes {} parameters", found->name, given.size()),
               fmt::format("`upsweep image {} --help` lists them", found->name));
      if (value.text.empty()) refuse(value, "a parameter is missing", "leave out the comma or colon before it");
      if (!given[place].empty())
        refuse(value, fmt::format("{} of {} is given twice", found->parameters[place].name, found->name),
               "give it once");
      places[place] = value;
      given[place++] = value.text;
    }
  }
  try {
    return step_of(*found, std::move(given));
  } catch (const error& e) {
    part bad = name;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (e.where().starts_with(std::string(found->parameters[i].name) + " ")) bad = places[i];
    refuse(bad, e.where() + ": " + e.problem(), e.remedy());
  }
}

}  // namespace

std::vector<image_step> steps_of_pipeline(const std::string& text) {
  std::vector<image_step> steps;
  for (const part& p : part{text, 0}.split('|')) steps.push_back(step_of_part(p));
  return steps;
}
