// JSON that bench and check wrote: the result is a page without script, or an error. Also the commands that the page of
// the view sends.
#include <cmath>

#include "cli/nbody/live.hpp"
#include "cli/report/report.hpp"
#include "tests/fuzz/harness.hpp"
#include "upsweep/error.hpp"

UPSWEEP_HARNESS(report) {
  const std::string page = report::render({report::read_source(fuzz::file_of("r.json", bytes))}, "title");
  fuzz::require(page.find("<script") == std::string::npos, "a page with a script of the file's own");
  for (const char* nowhere : {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"})
    fuzz::require(page.find(nowhere) == std::string::npos, "something drawn at no place");
}

// As many bodies as the scene has by itself, or as may take long.
static bool asks_for_many(const nlohmann::json& order) {
  if (!order.is_object() || !order.contains("scene")) return false;
  const auto bodies = order.find("bodies");
  if (bodies == order.end()) return true;
  if (!bodies->is_number()) return false;
  const double n = bodies->get<double>();
  return n >= 0 && (n < 1 || (n > 100 && n < 10000));
}

// A line an order, as the view takes them: what is wrong in one is said, and all goes on.
UPSWEEP_HARNESS(orders) {
  nbody_options o;
  o.scene = "figure-eight";
  o.memory = "128K";
  o.where.device = "cpu:1";
  nbody_live live(o);
  for (int orders = 0; orders < 8 && !bytes.empty(); ++orders) {
    try {
      nlohmann::json order = nlohmann::json::parse(fuzz::take_until(bytes, "\n"));
      if (asks_for_many(order)) order["bodies"] = 12;
      live.obey(order);
    } catch (const upsweep::error&) {
    } catch (const nlohmann::json::exception&) {
    }
    if (orders == 0) live.turn();  // which takes a picture's time
    const std::size_t looks = live.looks().size(), picture = live.picture().size();
    fuzz::require((looks - 16) * 12 + 32 == picture, "other bodies are shown than there are");
    fuzz::require(nlohmann::json::parse(live.scene())["generation"] == live.generation(), "a scene of another time");
    fuzz::require(nlohmann::json::parse(live.facts())["kind"] == "facts", "facts that are none");
  }
}
