#include "cli/report/html.hpp"

namespace report {

namespace {

// Okabe and Ito's colours, which the colour-blind tell apart; each theme takes the shades with enough contrast on its
// ground.
constexpr const char* style = R"css(
:root{color-scheme:light dark;--ground:#fcfcfa;--panel:#fff;--ink:#1d2125;--soft:#5c646b;--line:#d9dcdd;--faint:#eceeee;
--s0:#0072b2;--s1:#c04a00;--s2:#00795a;--s3:#a4508b;--s4:#8a6500;--s5:#33393f;--s6:#5b5ea6;--textbook:#8b949b;--bad:#b32400;--good:#00684d}
@media (prefers-color-scheme:dark){:root{--ground:#14171a;--panel:#1b1f23;--ink:#e6e8ea;--soft:#a2abb3;--line:#3a4147;--faint:#262b30;
--s0:#56b4e9;--s1:#f08a4b;--s2:#2fc79b;--s3:#e09ac8;--s4:#e6b422;--s5:#dfe3e6;--s6:#a8abf0;--textbook:#7d878f;--bad:#ff8a66;--good:#4fd1a5}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 20px 64px}
h1{font-size:1.75rem;margin:0 0 .2em}h2{font-size:1.35rem;margin:2.2em 0 .4em;padding-top:.8em;border-top:1px solid var(--line)}
h3{font-size:1.08rem;margin:1.8em 0 .3em}p{max-width:74ch;margin:.4em 0 .8em}.soft{color:var(--soft)}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 18px;margin:.6em 0;font-size:.93rem}
dl.facts dt{color:var(--soft)}dl.facts dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:.6em 0 1em}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;background:var(--panel)}
caption{text-align:left;color:var(--soft);padding:0 0 6px}
th,td{padding:4px 11px;border:1px solid var(--line);text-align:left;white-space:nowrap}
th{background:var(--faint);font-weight:600}td.n,th.n{text-align:right}
td.loss{color:var(--bad);font-weight:600}td.win{color:var(--good)}td.ours{color:var(--s0);font-weight:600}td.wrap{white-space:normal;min-width:22em}
figure{margin:.8em 0 1.2em;padding:12px 12px 8px;background:var(--panel);border:1px solid var(--line);border-radius:6px}
figure svg{display:block;width:100%;height:auto}figcaption{color:var(--soft);font-size:.88rem;padding:4px 6px}
summary{cursor:pointer;color:var(--soft);font-size:.92rem}
svg text{fill:var(--soft);font:13px system-ui,"Segoe UI",Roboto,"Liberation Sans",sans-serif}svg .axis{stroke:var(--line)}svg .grid{stroke:var(--faint)}
svg .roof{stroke:var(--ink);stroke-dasharray:7 5;fill:none;stroke-width:1.4}svg .rooftext{fill:var(--ink);paint-order:stroke;stroke:var(--panel);stroke-width:5px;stroke-linejoin:round}
svg .s path.l{fill:none;stroke-width:2;stroke-linejoin:round}svg .s .w{stroke-width:1.2;opacity:.55}
svg .s .lead{stroke-width:1;opacity:.5;fill:none}
svg .s:hover path.l{stroke-width:4}svg .s.textbook:hover path.l,svg .s.textbook:hover .m{stroke:var(--s0)}
svg .ours path.l{stroke-width:3.2}svg .ours text,svg text.strong{font-weight:700}
svg .k0{--k:var(--s0)}svg .k1{--k:var(--s1)}svg .k2{--k:var(--s2)}svg .k3{--k:var(--s3)}svg .k4{--k:var(--s4)}svg .k5{--k:var(--s5)}svg .k6{--k:var(--s6)}svg .textbook{--k:var(--textbook)}
svg .s path.l,svg .s .w,svg .s .lead{stroke:var(--k)}svg .s .m{fill:var(--panel);stroke:var(--k);stroke-width:1.8}svg .ours .m{fill:var(--k)}
svg .s text.t{fill:var(--k)}svg .textbook text.t{fill:var(--soft)}svg .bar{fill:var(--k)}svg .bartext{fill:var(--ink)}
@media print{body{background:#fff}figure,table{break-inside:avoid}}
)css";

}  // namespace

std::string html_escape(std::string_view text) {
  std::string safe;
  for (char c : text) switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  return safe;
}

std::string page(const std::string& title, const std::string& body) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n"
         "<title>" +
         html_escape(title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<main>\n" + body +
         "</main>\n</body>\n</html>\n";
}

std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<cell>>& rows,
                       const std::string& caption) {
  std::string html = "<div class=\"scroll\"><table>\n";
  if (!caption.empty()) html += "<caption>" + html_escape(caption) + "</caption>\n";
  html += "<thead><tr>";
  for (std::size_t i = 0; i < head.size(); ++i) {
    const bool number = !rows.empty() && i < rows[0].size() && rows[0][i].number;
    html += "<th scope=\"col\"" + std::string(number ? " class=\"n\"" : "") + ">" + html_escape(head[i]) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (const cell& c : row) {
      std::string classes = c.number ? "n" : "";
      if (!c.style.empty()) classes += (classes.empty() ? "" : " ") + c.style;
      html += "<td" + (classes.empty() ? "" : " class=\"" + classes + "\"") +
              (c.title.empty() ? "" : " title=\"" + html_escape(c.title) + "\"") + ">" + html_escape(c.text) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace report
