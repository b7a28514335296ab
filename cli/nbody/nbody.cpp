#include "cli/nbody/nbody.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cmath>

#include "cli/io/same_file.hpp"
#include "cli/nbody/files/files.hpp"
#include "cli/process/answer.hpp"
#include "cli/process/checks.hpp"
#include "cli/processes/processes.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

namespace {

// One of a few names.
template <class E>
struct choice {
  std::string_view name;
  E value;
};
constexpr choice<nbody::method> methods[]{{"automatic", nbody::method::automatic},
                                          {"all-pairs", nbody::method::all_pairs},
                                          {"barnes-hut", nbody::method::barnes_hut}};
constexpr choice<nbody::parting> partings[]{
    {"automatic", nbody::parting::automatic}, {"whole", nbody::parting::whole}, {"domains", nbody::parting::domains}};
constexpr choice<nbody::integrator> integrators[]{{"leapfrog", nbody::integrator::leapfrog},
                                                  {"euler", nbody::integrator::euler},
                                                  {"hermite", nbody::integrator::hermite}};
constexpr choice<dtype> types[]{{"f32", dtype::f32}, {"f64", dtype::f64}};

template <class E, std::size_t n>
E one_of(const char* option, const std::string& text, const choice<E> (&all)[n]) {
  std::string names;
  for (const auto& c : all) {
    if (c.name == text) return c.value;
    names += (names.empty() ? "" : ", ") + std::string(c.name);
  }
  throw error(fault::bad_argument, fmt::format("{} '{}'", option, text), "it is not known", "give one of " + names);
}

template <class E, std::size_t n>
std::string_view name_in(E value, const choice<E> (&all)[n]) {
  for (const auto& c : all)
    if (c.value == value) return c.name;
  return "";
}

void require(bool good, const char* option, double value, const char* what, const char* remedy) {
  if (!good) throw error(fault::bad_argument, fmt::format("{} {}", option, value), what, remedy);
}

bool is_scene(const std::string& name) {
  return std::ranges::any_of(nbody::scene_list(), [&](const nbody::scene_listing& l) { return l.name == name; });
}

std::string scenes_text() {
  std::string text = "Scenes:\n";
  for (const nbody::scene_listing& l : nbody::scene_list())
    text += fmt::format("  {:<14}{} ({} bodies)\n", l.name, l.what, l.bodies);
  return text;
}

}  // namespace

nbody::scene scene_of(const nbody_options& o) {
  // A name without a dot or a slash that is no scene is a misspelt one, not a file.
  const bool file = !is_scene(o.scene) && o.scene.find_first_of("./") != std::string::npos;
  if (file && o.bodies > 0)
    throw error(fault::bad_argument, "--bodies", "a file holds the bodies it holds", "leave --bodies out");
  if (o.bodies > 0 && o.bodies > memory_limit(o.memory) / 160)
    throw error(fault::out_of_memory, fmt::format("--bodies {}", o.bodies), "they take more memory than is allowed",
                "ask for fewer, or raise --memory");
  nbody::scene s = file ? read_bodies(o.scene, memory_limit(o.memory), o.gravity.value_or(1))
                        : nbody::made_scene(o.scene, o.bodies, o.seed);
  if (o.gravity) s.gravity = *o.gravity;
  if (o.softening) s.softening = *o.softening;
  if (o.dt) s.dt = *o.dt;
  if (o.dimensions) s.dimensions = o.dimensions;
  return s;
}

nbody_settings settings_of(const nbody_options& o, const nbody::scene& s) {
  nbody_settings t;
  t.laws = s.laws();
  t.laws.how = one_of("--method", o.method, methods);
  t.laws.part = one_of("--part", o.part, partings);
  t.laws.theta = o.theta.value_or(t.laws.theta);
  t.laws.criterion = o.criterion.value_or(0);
  t.laws.quadrupoles = !o.monopoles;
  t.laws.compensated = o.compensated;
  t.how = one_of("--integrator", o.integrator, integrators);
  t.dt = s.dt;
  t.adaptive = o.adaptive.value_or(0);
  // A few bodies are followed for the sake of their orbits.
  t.type = o.type.empty() ? (s.start.size() <= 64 ? dtype::f64 : dtype::f32) : one_of("--type", o.type, types);
  require(t.dt > 0 && std::isfinite(t.dt), "--dt", t.dt, "a step is a time above 0", "give such a time");
  require(t.laws.theta >= 0 && std::isfinite(t.laws.theta), "--theta", t.laws.theta, "an opening angle is 0 or more",
          "0 opens every cell, 0.5 is usual");
  require(t.laws.softening >= 0 && std::isfinite(t.laws.softening), "--softening", t.laws.softening,
          "a softening is 0 or more", "give a length");
  require(t.laws.criterion >= 0 && std::isfinite(t.laws.criterion), "--criterion", t.laws.criterion,
          "it is a part of a body's acceleration, 0 or more", "give 0.001, say");
  require(t.adaptive >= 0 && std::isfinite(t.adaptive), "--adaptive", t.adaptive, "it is a part, 0 or more",
          "give 0.02, say");
  require(std::isfinite(t.laws.gravity), "--gravity", t.laws.gravity, "it is no number", "give a number");
  return t;
}

std::string settings_text(const nbody_settings& t) {
  std::string text =
      fmt::format("{}, {}, {}", name_in(t.laws.how, methods), name_in(t.how, integrators), name_of(t.type));
  if (t.laws.how != nbody::method::all_pairs) text += fmt::format(", theta {}", t.laws.theta);
  if (t.laws.softening > 0) text += fmt::format(", softening {:.4g}", t.laws.softening);
  return text;
}

void add_nbody(CLI::App& app) {
  auto o = std::make_shared<nbody_options>();
  CLI::App* c =
      app.add_subcommand("nbody", "Bodies that attract each other: run, film, and see them move in a browser");
  const auto text = [&](const char* name, std::string& to, const char* what, const char* type) {
    c->add_option(name, to, what)->type_name(type);
  };
  const CLI::Validator count = checks::count(), positive = checks::count(1), finite = checks::number();
  text("--scene", o->scene, "A scene of those below, or a file: CSV, .npy, Gadget's HDF5, TIPSY. Default: collision",
       "SCENE");
  c->add_option("--bodies", o->bodies, "How many. Default: the scene's")->check(positive)->type_name("N");
  c->add_option("--seed", o->seed, "Of random scenes: the same seed is the same scene on every machine. Default: 1")
      ->check(count)
      ->type_name("S");
  c->add_option("--steps", o->steps, "How many. Default: what is worth seeing of the scene, 2000 at most")
      ->check(count)
      ->type_name("K");
  c->add_option("--device", o->where.device,
                "cpu, cpu:N (N threads), cuda:N, opencl:N or best. Default: best. Several work together: "
                "cuda:0,cuda:1 or\ncuda:all, cpu:4,cpu:4")
      ->type_name("D");
  text("--method", o->method, "all-pairs, barnes-hut or automatic, the default", "M");
  text("--part", o->part,
       "Of several devices each has the whole tree, or a domain of it: whole, domains or automatic, the default:\nby "
       "size. What comes out is the same",
       "P");
  c->add_option("--theta", o->theta, "Barnes-Hut's opening angle. Default: 0.5")->type_name("A");
  c->add_option("--criterion", o->criterion, "Open cells by this relative error instead of the angle")->type_name("E");
  c->add_flag("--monopoles", o->monopoles, "Cells without their quadrupoles");
  text("--integrator", o->integrator, "leapfrog (default), euler (semi-implicit) or hermite (order 4, all pairs)", "I");
  c->add_option("--dt", o->dt, "A step's time. Default: the scene's")->type_name("T");
  c->add_option("--adaptive", o->adaptive, "Steps of one length for all, chosen before each, at most --dt: 0.02, say")
      ->type_name("ETA");
  c->add_option("--softening", o->softening, "Plummer's softening length. Default: the scene's")->type_name("L");
  c->add_option("--gravity", o->gravity, "The constant G, in the scene's units. Default: the scene's; of a file: 1")
      ->type_name("G");
  c->add_option("--dimensions", o->dimensions, "2: all bodies stay in the plane z = 0")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("2|3");
  text("--type", o->type, "f32 or f64. Default: f64 up to 64 bodies, else f32", "T");
  c->add_flag("--compensated", o->compensated, "f32 sums that carry their rounding along");
  c->add_option("--memory", o->memory, "Refuse to take more, such as 4G. Default: half of what is free")
      ->type_name("BYTES");

  CLI::Option_group* out = c->add_option_group("Output");
  out->add_option("--video", o->video, "A film, .mp4, .mkv, .mov, .webm or .gif, by ffmpeg")->type_name("FILE");
  out->add_option("--frames", o->frames, "The film's pictures as PNG files in a folder")->type_name("DIR");
  out->add_option("--trajectory", o->trajectory, "Every place at every step: .npy (steps, bodies, 3), .h5 or .json")
      ->type_name("FILE");
  out->add_option("--sample", o->sample, "Every K-th step goes into these. Default: 1")
      ->check(positive)
      ->type_name("K");
  out->add_option("--size", o->size, "Of pictures. Default: 1280x720")->type_name("WxH");
  out->add_option("--rate", o->rate, "Pictures a second of the film. Default: 30")
      ->check(CLI::Range(1, 240))
      ->type_name("R");
  out->add_option("--camera", o->camera,
                  "Degrees about the axis and above the plane, and the height of what is seen: 30,60,8")
      ->type_name("YAW,PITCH,H");
  out->add_option("--turn", o->turn, "Degrees that the camera goes round in the film")->check(finite)->type_name("DEG");
  out->add_option("--queue", o->queue,
                  "Steps that wait to be written may take this much memory; where the disk is slower,\nonly every "
                  "second one is kept from then on, then every fourth. Default: 1G")
      ->type_name("BYTES");
  out->add_option("--checkpoint", o->checkpoint, "All that is needed to go on, at the end and with --every")
      ->type_name("FILE");
  out->add_option("--every", o->every, "A checkpoint every K steps as well")->check(positive)->type_name("K");
  out->add_option("--resume", o->resume, "Go on from a checkpoint, bit for bit, for --steps more")->type_name("FILE");

  CLI::Option_group* curve = c->add_option_group("Errors");
  curve->add_flag("--errors", o->errors,
                  "Make no steps: time the tree part by part, and hold its forces against all pairs in f64,\nfor "
                  "--scene, else for plummer and cube, of --bodies, else 100000");
  curve->add_option("--thetas", o->thetas, "The opening angles. Default: 0.3,0.4,0.5,0.6,0.7,0.8,1")
      ->check(finite)
      ->delimiter(',')
      ->type_name("A,...");
  curve->add_option("--judged", o->judged, "Bodies held against all pairs. Default: 1024")
      ->check(positive)
      ->type_name("K");
  curve->add_option("--repeats", o->repeats, "Timings, of which the median is said. Default: 5")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  curve
      ->add_option(
          "--json", o->json,
          "Write the curve to this file, or without a name to standard output; of a run, what is said at its end")
      ->expected(0, 1)
      ->type_name("[FILE]");

  CLI::Option_group* live = c->add_option_group("Live");
  live->add_flag("--view", o->view, "Show the bodies moving, in a page on 127.0.0.1, with controls and plots");
  live->add_option("--compare", o->compare, "Two devices side by side in the page, with their difference: cpu,opencl:0")
      ->delimiter(',')
      ->expected(2)

      ->type_name("A,B");
  live->add_option("--port", o->port, "Of the page. Default: one that is free")
      ->check(checks::count(1))
      ->type_name("P");
  live->add_option("--token", o->token,
                   "The word in the page's address, 16 letters and digits or more. Default: a random one")

      ->type_name("WORD");

  c->footer(scenes_text() +
            "Examples:\n"
            "  upsweep nbody --scene collision --bodies 20000 --steps 500 --video out.mp4\n"
            "  upsweep nbody --scene disk --view\n"
            "  upsweep nbody --scene plummer --steps 1000 --trajectory x.npy --checkpoint run.ckpt --every 100\n"
            "  upsweep nbody --scene figure-eight --integrator hermite --trajectory eight.json\n"
            "  upsweep nbody --scene collision --view --compare cpu:1,cpu:2\n"
            "  upsweep nbody --scene plummer --bodies 1000000 --device cuda:0,cuda:1\n"
            "  mpirun -n 4 upsweep nbody --scene cube --bodies 100000 --device cpu:1 --trajectory x.npy\n"
            "  upsweep nbody --errors --bodies 1000000 --thetas 0.4,0.5,0.7 --json curve.json");
  c->callback([o, c] {
    o->steps_given = c->count("--steps") > 0, o->scene_given = c->count("--scene") > 0;
    if (c->count("--json") > 0 && o->json.empty()) answer::want("nbody");
    memory_limit(o->memory), bytes_of_text("--queue", o->queue);  // also where they are not needed
    const auto refuse = [&](std::initializer_list<const char*> options, const char* what, const char* remedy) {
      for (const char* option : options)
        if (c->count(option) > 0) throw error(fault::bad_argument, option, what, remedy);
    };
    if (c->count("--resume") > 0)
      refuse({"--scene", "--bodies", "--seed", "--method", "--theta", "--criterion", "--monopoles", "--integrator",
              "--dt", "--adaptive", "--softening", "--gravity", "--dimensions", "--type", "--compensated"},
             "the checkpoint of --resume knows it, and another answer would be another run", "leave it out");
    if (c->count("--resume") > 0)
      refuse({"--part"}, "what goes on from a checkpoint parts the tree by size", "leave it out");
    if (!group_asked_for(o->where))
      refuse({"--part"}, "one device has all of the tree",
             "name several, as --device cuda:0,cuda:1 does, or leave it out");
    // A run may go on into the checkpoint that it came from.
    const file_named scene{"--scene", o->scene_given ? o->scene : ""}, from{"--resume", o->resume};
    const std::vector<file_named> outputs{
        {"--trajectory", o->trajectory}, {"--video", o->video}, {"--frames", o->frames}, {"--json", o->json}};
    require_apart({outputs[0], outputs[1], outputs[2], outputs[3], {"--checkpoint", o->checkpoint}}, {scene});
    require_apart(outputs, {from});
    if ((o->view || o->errors) && group_asked_for(o->where))
      throw error(fault::unsupported, o->view ? "--view" : "--errors",
                  "the members of a group make steps together, and nothing else", "name one device, and one process");
    if (o->errors) {
      refuse({"--video", "--frames", "--trajectory", "--checkpoint", "--resume", "--view", "--steps", "--theta",
              "--method"},
             "--errors makes no steps, by the tree, over --thetas", "leave it out");
      return judge_forces(*o);
    }
    refuse({"--thetas", "--judged", "--repeats"}, "it is --errors'", "add --errors");
    if (!o->json.empty())
      throw error(fault::bad_argument, "--json " + o->json, "only what --errors finds goes to a file",
                  "write --json alone, for standard output");
    if (o->view) {
      refuse({"--video", "--frames", "--trajectory", "--checkpoint", "--resume"}, "--view shows and does not write",
             "run it once more without --view");
      view_bodies(*o);
    } else {
      refuse({"--compare", "--port", "--token"}, "it is --view's", "add --view");
      run_bodies(*o);
    }
  });
}
