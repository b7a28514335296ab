#include "cli/lens/page.hpp"

#include <string_view>

#include "cli/lens/player.hpp"
#include "cli/lens/steps.hpp"
#include "cli/lens/text.hpp"
#include "cli/report/html.hpp"

namespace lens = upsweep::lens;

namespace {

// "</script>" within the data would end the script.
std::string safe(std::string text) {
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) text.replace(at, 2, "<\\/");
  return text;
}

std::string part(std::string_view name) {
  for (const lens_player::part* p = lens_player::parts; p->name != nullptr; ++p)
    if (p->name == name) return p->text;
  return {};
}

constexpr const char* style = R"css(
:root{color-scheme:light dark}*{box-sizing:border-box}body{margin:0;background:#fcfcfa;font:15px/1.45 system-ui,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
@media (prefers-color-scheme:dark){body{background:#14171a;color:#e6e8ea}}
main{max-width:1360px;margin:0 auto;padding:18px 18px 48px}h1{font-size:1.4rem;margin:0}p{margin:.25em 0}.about{opacity:.7}
)css";

}  // namespace

std::string lens_page(const lens::report& r) {
  const std::string name = report::html_escape(r.what->name);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<title>" +
         name + " under the lens</title>\n<style>" + style + part("player.css") +
         "</style></head>\n<body><main>\n<h1>" + name + "</h1>\n<p>" + report::html_escape(r.what->teaches) +
         ".</p>\n<p class=\"about\">" + report::html_escape(lens_text::what_ran(r)) +
         ". Above the line of time: the share of lanes at work; below it, in red: bank conflicts by degree.</p>\n"
         "<div id=\"player\"></div>\n</main>\n<script>\n" +
         part("player.js") + "const D=" + safe(steps_to_json(r).dump()) +
         ";\nconst m=location.hash.match(/^#(\\d+)$/);player(document.getElementById('player'),D,{at:m?m[1]-1:0});\n"
         "</script>\n</body></html>\n";
}
