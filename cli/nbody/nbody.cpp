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
constexpr choice<nbody::domain_decomposition> decompositions[]{{"automatic", nbody::domain_decomposition::automatic},
                                                               {"whole", nbody::domain_decomposition::whole},
                                                               {"domains", nbody::domain_decomposition::domains}};
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
  // A name without a dot or a slash that is not a scene is a misspelled scene, not a file.
  const bool file = !is_scene(o.scene) && o.scene.find_first_of("./") != std::string::npos;
  if (file && o.bodies > 0)
    throw error(fault::bad_argument, "--bodies", "the number of bodies is that of the file", "leave --bodies out");
  if (o.bodies > 0 && o.bodies > memory_limit(o.memory) / 160)
    throw error(fault::out_of_memory, fmt::format("--bodies {}", o.bodies), "they need more memory than the limit",
                "reduce the number, or raise --memory");
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
  t.laws.method = one_of("--method", o.method, methods);
  t.laws.decomposition = one_of("--part", o.part, decompositions);
  t.laws.theta = o.theta.value_or(t.laws.theta);
  t.laws.criterion = o.criterion.value_or(0);
  t.laws.quadrupoles = !o.monopoles;
  t.laws.compensated = o.compensated;
  t.how = one_of("--integrator", o.integrator, integrators);
  t.dt = s.dt;
  t.adaptive = o.adaptive.value_or(0);
  // A few bodies are followed for the sake of their orbits.
  t.type = o.type.empty() ? (s.start.size() <= 64 ? dtype::f64 : dtype::f32) : one_of("--type", o.type, types);
  require(t.dt > 0 && std::isfinite(t.dt), "--dt", t.dt, "the time step must be positive", "give a positive time");
  require(t.laws.theta >= 0 && std::isfinite(t.laws.theta), "--theta", t.laws.theta,
          "the opening angle must be 0 or more", "0 opens every cell; 0.5 is usual");
  require(t.laws.softening >= 0 && std::isfinite(t.laws.softening), "--softening", t.laws.softening,
          "the softening length must be 0 or more", "give a length");
  require(t.laws.criterion >= 0 && std::isfinite(t.laws.criterion), "--criterion", t.laws.criterion,
          "it is a fraction of a body's acceleration, and must be 0 or more", "give for example 0.001");
  require(t.adaptive >= 0 && std::isfinite(t.adaptive), "--adaptive", t.adaptive,
          "it is a fraction, and must be 0 or more", "give for example 0.02");
  require(std::isfinite(t.laws.gravity), "--gravity", t.laws.gravity, "it must be finite", "give a finite number");
  return t;
}

std::string settings_text(const nbody_settings& t) {
  std::string text =
      fmt::format("{}, {}, {}", name_in(t.laws.method, methods), name_in(t.how, integrators), name_of(t.type));
  if (t.laws.method != nbody::method::all_pairs) text += fmt::format(", theta {}", t.laws.theta);
  if (t.laws.softening > 0) text += fmt::format(", softening {:.4g}", t.laws.softening);
  return text;
}

void add_nbody(CLI::App& app) {
  auto o = std::make_shared<nbody_options>();
  CLI::App* c = app.add_subcommand("nbody",
                                   "Simulate bodies that attract each other; write films and trajectories, or show the "
                                   "run in a browser");
  const auto text = [&](const char* name, std::string& to, const char* what, const char* type) {
    c->add_option(name, to, what)->type_name(type);
  };
  const CLI::Validator count = checks::count(), positive = checks::count(1), finite = checks::number();
  text("--scene", o->scene, "Scene of the list below, or a file: CSV, .npy, Gadget's HDF5, TIPSY. Default: collision",
       "SCENE");
  c->add_option("--bodies", o->bodies, "Number of bodies. Default: the scene's")->check(positive)->type_name("N");
  c->add_option("--seed", o->seed,
                "Seed of random scenes: the same seed gives the same scene on every machine. "
                "Default: 1")
      ->check(count)
      ->type_name("S");
  c->add_option("--steps", o->steps, "Number of steps. Default: depends on the scene, at most 2000")
      ->check(count)
      ->type_name("K");
  c->add_option("--device", o->where.device,
                "Device: cpu, cpu:N (N threads), cuda:N, opencl:N or best. Default: best. Several devices form a "
                "group: cuda:0,cuda:1 or cuda:all, cpu:4,cpu:4")
      ->type_name("D");
  text("--method", o->method, "Method: all-pairs, barnes-hut or automatic. Default: automatic", "M");
  text("--part", o->part,
       "With several devices: whole (each has the whole tree), domains (each has one domain of it) or automatic (by "
       "size). The result is the same. Default: automatic",
       "P");
  c->add_option("--theta", o->theta, "Opening angle of Barnes-Hut. Default: 0.5")->type_name("A");
  c->add_option("--criterion", o->criterion, "Open cells by this relative error instead of by the angle")
      ->type_name("E");
  c->add_flag("--monopoles", o->monopoles, "Use monopoles only, no quadrupoles");
  text("--integrator", o->integrator,
       "Integrator: leapfrog (default), euler (semi-implicit) or hermite (order 4, all "
       "pairs)",
       "I");
  c->add_option("--dt", o->dt, "Time step. Default: the scene's")->type_name("T");
  c->add_option("--adaptive", o->adaptive,
                "Choose each time step, the same for all bodies and at most --dt, by this "
                "accuracy; for example 0.02")
      ->type_name("ETA");
  c->add_option("--softening", o->softening, "Plummer softening length. Default: the scene's")->type_name("L");
  c->add_option("--gravity", o->gravity,
                "Gravitational constant in the scene's units. Default: the scene's; for a "
                "file 1")
      ->type_name("G");
  c->add_option("--dimensions", o->dimensions, "2 keeps all bodies in the plane z = 0")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("2|3");
  text("--type", o->type, "Type: f32 or f64. Default: f64 up to 64 bodies, else f32", "T");
  c->add_flag("--compensated", o->compensated, "Compensated summation in f32");
  c->add_option("--memory", o->memory, "Memory limit, such as 4G. Default: half of the free memory")
      ->type_name("BYTES");

  CLI::Option_group* out = c->add_option_group("Output");
  out->add_option("--video", o->video, "Write a film with ffmpeg: .mp4, .mkv, .mov, .webm or .gif")->type_name("FILE");
  out->add_option("--frames", o->frames, "Write the film's pictures as PNG files to a folder")->type_name("DIR");
  out->add_option("--trajectory", o->trajectory,
                  "Write all positions of each step: .npy (steps, bodies, 3), .h5 or "
                  ".json")
      ->type_name("FILE");
  out->add_option("--sample", o->sample, "Write every K-th step to these outputs. Default: 1")
      ->check(positive)
      ->type_name("K");
  out->add_option("--size", o->size, "Size of pictures. Default: 1280x720")->type_name("WxH");
  out->add_option("--rate", o->rate, "Pictures per second of the film. Default: 30")
      ->check(CLI::Range(1, 240))
      ->type_name("R");
  out->add_option("--camera", o->camera,
                  "Camera: degrees around the axis, degrees above the plane, and height of the view: 30,60,8")
      ->type_name("YAW,PITCH,H");
  out->add_option("--turn", o->turn, "Rotation of the camera over the film, in degrees")
      ->check(finite)
      ->type_name("DEG");
  out->add_option("--queue", o->queue,
                  "Memory limit of steps that are not yet written. If the disk is slower, only every second step is "
                  "kept from then on, then every fourth. Default: 1G")
      ->type_name("BYTES");
  out->add_option("--checkpoint", o->checkpoint,
                  "Write a checkpoint to this file at the end, and with --every during "
                  "the run")
      ->type_name("FILE");
  out->add_option("--every", o->every, "Also write a checkpoint every K steps")->check(positive)->type_name("K");
  out->add_option("--resume", o->resume, "Continue a checkpoint bit for bit, for --steps more steps")
      ->type_name("FILE");

  CLI::Option_group* curve = c->add_option_group("Errors");
  curve->add_flag("--errors", o->errors,
                  "Make no steps: measure the phases of the tree code, and compare its forces with all pairs in f64, "
                  "for --scene, or else for plummer and cube, of --bodies, or else 100000");
  curve->add_option("--thetas", o->thetas, "Opening angles. Default: 0.3,0.4,0.5,0.6,0.7,0.8,1")
      ->check(finite)
      ->delimiter(',')
      ->type_name("A,...");
  curve->add_option("--judged", o->judged, "Number of bodies compared with all pairs. Default: 1024")
      ->check(positive)
      ->type_name("K");
  curve->add_option("--repeats", o->repeats, "Number of timings, whose median is reported. Default: 5")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  curve
      ->add_option(
          "--json", o->json,
          "Write the errors as JSON to this file, or without a name to standard output. Without --errors: print the "
          "summary of the run as JSON")
      ->expected(0, 1)
      ->type_name("[FILE]");

  CLI::Option_group* live = c->add_option_group("Live");
  live->add_flag("--view", o->view, "Show the run in a page on 127.0.0.1, with controls and plots");
  live->add_option("--compare", o->compare, "Show two devices side by side, with their difference: cpu,opencl:0")
      ->delimiter(',')
      ->expected(2)

      ->type_name("A,B");
  live->add_option("--port", o->port, "Port of the page. Default: a free port")
      ->check(checks::count(1))
      ->type_name("P");
  live->add_option("--token", o->token, "Secret in the page's address, 16 letters and digits or more. Default: random")

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
             "the checkpoint of --resume sets this option", "leave it out");
    if (c->count("--resume") > 0) refuse({"--part"}, "a resumed run distributes the tree by size", "leave it out");
    if (!group_asked_for(o->where))
      refuse({"--part"}, "one device has the whole tree", "give several, as --device cuda:0,cuda:1, or leave it out");
    // A run may go on into the checkpoint that it came from.
    const file_named scene{"--scene", o->scene_given ? o->scene : ""}, from{"--resume", o->resume};
    const std::vector<file_named> outputs{
        {"--trajectory", o->trajectory}, {"--video", o->video}, {"--frames", o->frames}, {"--json", o->json}};
    require_no_overlap({outputs[0], outputs[1], outputs[2], outputs[3], {"--checkpoint", o->checkpoint}}, {scene});
    require_no_overlap(outputs, {from});
    if ((o->view || o->errors) && group_asked_for(o->where))
      throw error(fault::unsupported, o->view ? "--view" : "--errors", "groups of devices support only runs",
                  "give one device, and start one process");
    if (o->errors) {
      refuse({"--video", "--frames", "--trajectory", "--checkpoint", "--resume", "--view", "--steps", "--theta",
              "--method"},
             "--errors makes no steps and uses the tree with --thetas", "leave it out");
      return measure_force_errors(*o);
    }
    refuse({"--thetas", "--judged", "--repeats"}, "it applies to --errors", "add --errors");
    if (!o->json.empty())
      throw error(fault::bad_argument, "--json " + o->json, "only --errors writes JSON to a file",
                  "give --json without a file, for standard output");
    if (o->view) {
      refuse({"--video", "--frames", "--trajectory", "--checkpoint", "--resume"}, "--view does not write files",
             "run again without --view");
      view_bodies(*o);
    } else {
      refuse({"--compare", "--port", "--token"}, "it applies to --view", "add --view");
      run_bodies(*o);
    }
  });
}
