// upsweep nbody: the output files match the motion, a run continues from a checkpoint, and invalid input gives one
// error message.
#include <cmath>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "cli/image/stored_picture.hpp"
#include "cli/nbody/files/files.hpp"
#include "cli/nbody/files/writer.hpp"
#include "cli/nbody/live.hpp"
#include "cli/nbody/nbody.hpp"
#include "cli/nbody/paint.hpp"
#include "command.hpp"
#include "upsweep/error.hpp"
#include "upsweep/nbody/nbody_scenes.hpp"

namespace {

namespace fs = std::filesystem;
using namespace upsweep;

class bodies : public command_test {
 protected:
  ran done(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"nbody", "--device", "cpu"});
    const ran r = run(arguments);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return r;
  }
  void refused(std::vector<std::string> arguments, const std::vector<std::string>& words, int status = 1) const {
    arguments.insert(arguments.begin(), "nbody");
    expect_refusal(arguments, words, {}, status);
  }
  template <class T>
  std::vector<T> track(const std::string& name, std::vector<std::uint64_t> shape) const {
    const std::string bytes = read(name);
    std::uint64_t at = 0;
    const npy_header h = read_npy_header(name, [&](void* to, std::uint64_t n) {
      n = std::min<std::uint64_t>(n, bytes.size() - at);
      std::memcpy(to, bytes.data() + at, n);
      at += n;
      return n;
    });
    EXPECT_EQ(h.shape, shape);
    EXPECT_EQ(h.type.builtin(), dtype_of<T>);
    return from_bytes<T>(std::string_view(bytes).substr(h.bytes));
  }
  static std::vector<double> rows_of(const nbody::bodies<double>& b) {
    std::vector<double> rows;
    for (std::size_t i = 0; i < b.size(); ++i)
      rows.insert(rows.end(), {b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i], b.mass[i]});
    return rows;
  }
};

TEST_F(bodies, every_scene_runs_and_says_what_became_of_it) {
  for (const nbody::scene_listing& l : nbody::scene_list()) {
    std::vector<std::string> arguments{"--scene", std::string(l.name), "--steps", "3"};
    if (!l.fixed) arguments.insert(arguments.end(), {"--bodies", "100"});
    const ran r = done(arguments);
    for (const char* word : {"on cpu", "3 steps", "drift at the end: energy", "momentum", "angular momentum"})
      EXPECT_NE(r.out.find(word), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find("nan"), std::string::npos) << r.out;
  }
}

TEST_F(bodies, a_trajectory_begins_at_the_scene) {
  done({"--scene", "plummer", "--bodies", "50", "--type", "f32", "--seed", "9", "--steps", "7", "--sample", "2",
        "--trajectory", "t.npy"});
  const auto t = track<float>("t.npy", {4, 50, 3});
  ASSERT_EQ(t.size(), 600u);
  const nbody::scene s = nbody::made_scene("plummer", 50, 9);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(t[3 * i + 1], static_cast<float>(s.start.y[i]));
  EXPECT_NE(t[0], t[150]);
  done({"--scene", "plummer", "--bodies", "50", "--type", "f32", "--seed", "9", "--steps", "7", "--sample", "2",
        "--trajectory", "again.npy"});
  EXPECT_EQ(read("t.npy"), read("again.npy"));
}

TEST_F(bodies, the_figure_eight_closes) {
  done({"--scene", "figure-eight", "--integrator", "hermite", "--steps", "2000", "--trajectory", "eight.json"});
  const auto j = nlohmann::json::parse(read("eight.json"));
  ASSERT_EQ(j.at("steps").size(), 2001u);
  EXPECT_EQ(j.at("type"), "f64");
  const auto &first = j["steps"][0], &last = j["steps"][2000];
  EXPECT_NEAR(last.at("time").get<double>(), nbody::figure_eight_period, 1e-9);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_LE(std::abs(first["positions"][i][k].get<double>() - last["positions"][i][k].get<double>()), 1e-6);
}

TEST_F(bodies, the_curve_of_errors) {
  const ran r = done({"--errors", "--bodies", "2000", "--thetas", "0.3,0.9", "--judged", "300", "--repeats", "1",
                      "--json", "curve.json"});
  EXPECT_NE(r.out.find("plummer, 2000 bodies, f32, quadrupoles"), std::string::npos) << r.out;
  const auto all = nlohmann::json::parse(read("curve.json"));
  ASSERT_EQ(all["curves"].size(), 2u);
  for (const auto& curve : all["curves"]) {
    ASSERT_EQ(curve["rows"].size(), 3u);
    EXPECT_EQ(curve["rows"][0]["theta"], 0.3);
    EXPECT_EQ(curve["rows"][2]["method"], "all-pairs");
    const auto median = [&](int row) { return curve["rows"][row]["errors"]["median"].get<double>(); };
    EXPECT_LT(3 * median(0), median(1));
    EXPECT_LT(3 * median(2), median(0));
    EXPECT_GT(curve["rows"][0]["parts"]["walk"], 0);
  }
  refused({"--errors", "--thetas", "0"}, {"--thetas 0", "positive"});
  refused({"--errors", "--steps", "3"}, {"--steps", "makes no steps"});
  refused({"--thetas", "0.5"}, {"--errors"});
  refused({"--method", "barnes-hut", "--compensated", "--type", "f32"}, {"Barnes-Hut has no compensated sums"});
}

TEST_F(bodies, goes_on_bit_for_bit) {
  const std::vector<std::string> scene{"--scene", "collision", "--bodies", "300"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), scene.begin(), scene.end());
    return more;
  };
  done(with({"--steps", "12", "--checkpoint", "whole", "--every", "5"}));
  done(with({"--steps", "5", "--checkpoint", "part"}));
  EXPECT_NE(read("part"), read("whole"));
  const ran r = done({"--resume", "part", "--steps", "7", "--checkpoint", "part", "--trajectory", "rest.npy"});
  EXPECT_NE(r.out.find("collision: 300 bodies"), std::string::npos) << r.out;
  EXPECT_EQ(read("part"), read("whole"));
  track<float>("rest.npy", {8, 300, 3});
}

// A deliberately crafted file has a valid hash.
TEST_F(bodies, refuses_a_checkpoint_that_was_made_up) {
  done({"--scene", "plummer", "--bodies", "20", "--steps", "1", "--checkpoint", "c"});
  const std::string good = read("c");
  const auto lengths = from_bytes<std::uint64_t>(std::string_view(good).substr(16, 24));
  const std::string facts = good.substr(48, lengths[0]);
  const std::string looks = good.substr(48 + lengths[0], lengths[1]),
                    motion = good.substr(48 + lengths[0] + lengths[1]);
  const auto with = [&](const std::string& other) {
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const std::string& part : {other, looks, motion})
      for (std::size_t i = 0; i < part.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, part.data() + i, std::min<std::size_t>(8, part.size() - i));
        hash = (hash ^ word) * 0x100000001b3ull;
        hash ^= hash >> 29;
      }
    return good.substr(0, 16) + bytes_of(std::vector<std::uint64_t>{other.size(), looks.size(), motion.size(), hash}) +
           other + looks + motion;
  };
  ASSERT_EQ(with(facts), good);
  const auto changed = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json j = nlohmann::json::parse(facts);
    j[key] = value;
    return j.dump();
  };
  for (const std::string& other :
       {changed("momentum", nlohmann::json::array()), changed("angular", {1.0, 2.0}), changed("momentum", "much"),
        changed("scene", 3), changed("mass", nullptr), std::string("{"), std::string("[]"), std::string(100000, '[')}) {
    write("d", with(other));
    refused({"--resume", "d", "--steps", "1"}, {"d:", "lacks a required field"});
  }
}

TEST_F(bodies, refuses_what_is_no_checkpoint) {
  done({"--scene", "plummer", "--bodies", "20", "--steps", "1", "--checkpoint", "c"});
  const std::string good = read("c");
  const auto other = [&](std::string bytes, const std::vector<std::string>& words) {
    write("c", bytes);
    refused({"--resume", "c", "--steps", "1"}, words);
  };
  for (const std::size_t cut : {good.size() - 1, good.size() / 2, std::size_t{20}})
    other(good.substr(0, cut), {"c:", "cut off"});
  std::string changed = good;
  changed[8] = 77;
  other(changed, {"version 77", "version 1"});
  changed = good;
  changed[good.size() - 40] ^= 1;
  other(changed, {"damaged"});
  other("hello", {"not a checkpoint"});
  other("", {"not a checkpoint"});
  refused({"--resume", "c", "--dt", "0.1"}, {"--resume", "--dt"});
  refused({"--resume", "nothing"}, {"nothing", "No such file"});
}

TEST_F(bodies, the_same_bodies_from_every_kind_of_file) {
  // Values that f32 holds, so that TIPSY's are the same.
  nbody::bodies<double> b = nbody::made_scene("sphere", 30, 4).start;
  for (auto* each : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.mass})
    for (double& v : *each) v = static_cast<float>(v);
  const std::vector<double> rows = rows_of(b);
  write("b.npy", npy_header_text(dtype::f64, std::vector<std::uint64_t>{30, 7}) + bytes_of(rows));
  std::string plain, named = "mass,vz,vy,vx,z,y,x\n";
  for (std::size_t i = 0; i < 30; ++i)
    for (std::size_t k = 0; k < 7; ++k) {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g%c", rows[7 * i + k], k == 6 ? '\n' : ',');
      plain += text;
      std::snprintf(text, sizeof text, "%.17g%c", rows[7 * i + 6 - k], k == 6 ? '\n' : ',');
      named += text;
    }
  write("plain.csv", plain);
  write("named.csv", named);
  for (const bool big : {false, true}) {
    std::string t;
    const auto put = [&](auto v) {
      std::string raw(reinterpret_cast<const char*>(&v), sizeof v);
      if (big) std::ranges::reverse(raw);
      t += raw;
    };
    put(0.0);
    for (const std::uint32_t v : {30u, 3u, 5u, 15u, 10u, 0u}) put(v);
    for (std::size_t i = 0; i < 30; ++i) {
      for (const std::size_t k : {6, 0, 1, 2, 3, 4, 5}) put(static_cast<float>(rows[7 * i + k]));
      for (int k = i < 5 ? 7 : i < 20 ? 2 + 5 : 7; k < (i < 5 ? 12 : i < 20 ? 9 : 11); ++k) put(0.5f);
    }
    write(big ? "big.tipsy" : "little.tipsy", t);
  }
  std::string first;
  for (const char* name : {"./b.npy", "plain.csv", "named.csv", "big.tipsy", "little.tipsy"}) {
    done({"--scene", name, "--steps", "2", "--type", "f64", "--trajectory", "t.npy"});
    if (first.empty()) first = read("t.npy");
    EXPECT_EQ(read("t.npy"), first) << name;
  }
  const auto t = track<double>("t.npy", {3, 30, 3});
  EXPECT_EQ(t[4], b.y[1]);
}

TEST_F(bodies, refuses_bad_files) {
  write("x.csv", "x,y,z,vx,vy,vz\n1,2,3,4,5,6\n");
  refused({"--scene", "x.csv"}, {"x.csv", "no column 'mass'"});
  write("x.csv", "1,2,3\n");
  refused({"--scene", "x.csv"}, {"3 columns"});
  write("x.csv", "x,y,mass\n0,0,1\n1,0,-1\n");
  refused({"--scene", "x.csv"}, {"mass", "1"});
  write("x.csv", "x,y,mass\n0,nan,1\n1,0,1\n");
  refused({"--scene", "x.csv"}, {"0"});
  write("x.csv", "x,y,mass\n0,inf,1\n1,0,1\n");
  refused({"--scene", "x.csv"}, {"0"});
  write("x.csv", "x,y,mass\n1,0,1\n1,0,1\n");
  refused({"--scene", "x.csv", "--softening", "0"}, {"softening"});
  write("x.csv", "");
  refused({"--scene", "x.csv"}, {"empty"});
  write("x.csv", "x,y,mass\n");
  refused({"--scene", "x.csv"}, {"no bodies"});
  write("x.npy", npy_header_text(dtype::f64, std::vector<std::uint64_t>{4, 5}) + std::string(160, '\0'));
  refused({"--scene", "x.npy"}, {"5 columns"});
  write("x.npy", npy_header_text(dtype::f64, 7) + std::string(56, '\0'));
  refused({"--scene", "x.npy"}, {"1 axes"});
  write("x.tipsy", std::string(8, '\0') + std::string("\4\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0", 24) +
                       std::string(50, '\0'));
  refused({"--scene", "x.tipsy"}, {"4 bodies", "ends after 1"});
  refused({"--scene", "./nothing.csv"}, {"nothing.csv", "No such file"});
}

TEST_F(bodies, refuses_bad_numbers) {
  refused({"--scene", "plumer"}, {"plumer", "plummer"});
  refused({"--scene", "plummer", "--dt", "0"}, {"--dt", "positive"});
  refused({"--scene", "plummer", "--dt", "-1"}, {"--dt"});
  refused({"--scene", "plummer", "--dt", "nan"}, {"--dt"});
  refused({"--scene", "plummer", "--theta", "-0.1"}, {"--theta", "0 or more"});
  refused({"--scene", "plummer", "--softening", "-1"}, {"--softening"});
  refused({"--scene", "plummer", "--bodies", "1"}, {"at least 2"});
  refused({"--scene", "figure-eight", "--bodies", "4"}, {"3 bodies"});
  refused({"--bodies", "-5"}, {"--bodies"}, 2);
  refused({"--bodies", "1000000000000000"}, {"--bodies", "memory"});
  refused({"--method", "fast"}, {"--method 'fast'", "all-pairs"});
  refused({"--part", "half", "--device", "cpu:1,cpu:1"}, {"--part 'half'", "domains"});
  refused({"--part", "whole", "--device", "cpu:1"}, {"--part", "one device"});
  refused({"--integrator", "rk4"}, {"rk4", "leapfrog"});
  refused({"--type", "f16"}, {"f16", "f64"});
  refused({"--every", "3"}, {"--checkpoint"});
  refused({"--device", "gpu"}, {"gpu"});
  const std::vector<std::string> small{"--scene", "plummer", "--bodies", "10", "--steps", "1", "--device", "cpu"};
  const auto with = [&](std::vector<std::string> more, const std::vector<std::string>& words, int status = 1) {
    more.insert(more.begin(), small.begin(), small.end());
    refused(more, words, status);
  };
  with({"--trajectory", "t.txt"}, {".npy", ".json"});
  with({"--trajectory", "nowhere/t.npy"}, {"nowhere/t.npy", "No such file"});
  with({"--video", "t.avi"}, {".mp4"});
  with({"--frames", "f", "--size", "12"}, {"--size '12'"});
  with({"--frames", "f", "--camera", "x"}, {"--camera"});
  with({"--view", "--video", "x.mp4"}, {"--view"});
  with({"--compare", "cpu,cpu"}, {"--view"});
  with({"--view", "--token", "short"}, {have_view ? "--token" : "--view: it is off"});
}

TEST_F(bodies, a_full_disk_keeps_the_state) {
  fs::create_symlink("/dev/full", path("t.json"));
  const ran r = run({"nbody", "--device", "cpu", "--scene", "plummer", "--bodies", "500", "--steps", "2000", "--dt",
                     "0.001", "--trajectory", "t.json", "--checkpoint", "c"});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(std::ranges::count(r.err, '\n'), 1) << r.err;
  for (const char* word : {"t.json", "No space left", "stopped after step", "continue from c"})
    EXPECT_NE(r.err.find(word), std::string::npos) << r.err;
  done({"--resume", "c", "--steps", "1"});
  EXPECT_EQ(files(), (std::vector<std::string>{"c", "t.json"}));
}

TEST_F(bodies, pictures) {
  if (!picture_files::have_png) GTEST_SKIP() << "this build has no PNG";
  done({"--scene", "disk", "--bodies", "2000", "--steps", "2", "--frames", "f", "--size", "320x180", "--turn", "90"});
  double light = 0, corner = 0;
  for (const char* name : {"f/frame-000000.png", "f/frame-000001.png", "f/frame-000002.png"}) {
    const picture p = read_picture(path(name), 1 << 24);
    ASSERT_EQ(p.width, 320u);
    ASSERT_EQ(p.height, 180u);
    for (std::uint64_t y = 80; y < 100; ++y)
      for (std::uint64_t x = 150; x < 170; ++x) light += p.samples[3 * (320 * y + x)] / 400;
    for (std::uint64_t y = 0; y < 8; ++y)
      for (std::uint64_t x = 0; x < 8; ++x) corner += p.samples[3 * (320 * y + x)] / 64;
  }
  EXPECT_GT(light / 3, 0.5);
  EXPECT_LT(corner / 3, 0.1);
}

// A shorter run leaves no pictures of a longer earlier run after its own. Files of others stay.
TEST_F(bodies, an_older_runs_pictures_are_cleared) {
  if (!picture_files::have_png) GTEST_SKIP() << "this build has no PNG";
  const std::vector<std::string> small{"--scene", "disk", "--bodies", "20", "--frames", "f", "--size", "32x18"};
  const auto steps = [&](const char* n) {
    auto all = small;
    all.insert(all.end(), {"--steps", n});
    done(all);
  };
  steps("5");
  write("f/frame-cover.png", "mine");
  write("f/notes.txt", "mine");
  steps("2");
  for (const char* name : {"frame-000000.png", "frame-000002.png", "frame-cover.png", "notes.txt"})
    EXPECT_TRUE(exists(std::string("f/") + name)) << name;
  for (const char* name : {"frame-000003.png", "frame-000004.png", "frame-000005.png"})
    EXPECT_FALSE(exists(std::string("f/") + name)) << name;
}

// The picture shows a body where the camera projects it.
TEST(nbody_painter, places) {
  nbody_camera camera;
  camera.width = 200, camera.height = 100;
  nbody_painter painter(camera, {nbody::look::warm});
  const auto brightest = [&](std::vector<float> at) {
    nbody_shot s;
    s.f32 = std::move(at);
    const auto& p = painter.paint(s, 0);
    std::size_t best = 0;
    for (std::size_t i = 0; i < p.size() / 3; ++i)
      if (p[3 * i] > p[3 * best]) best = i;
    return std::pair{static_cast<double>(best % 200) + 0.5, static_cast<double>(best / 200) + 0.5};
  };
  const auto near = [](std::pair<double, double> a, double x, double y) {
    return std::abs(a.first - x) <= 1 && std::abs(a.second - y) <= 1;
  };
  EXPECT_TRUE(near(brightest({0, 0, 0}), 100, 50));
  EXPECT_TRUE(near(brightest({1, 0, 0}), 150, 50));
  EXPECT_TRUE(near(brightest({0, 0.5f, 0}), 100, 25));
}

TEST_F(bodies, films) {
  const std::vector<std::string> small{"nbody", "--device", "cpu", "--scene", "sphere", "--bodies",
                                       "200",   "--steps",  "4",   "--size",  "160x90"};
  ran r = shell("PATH=/nowhere $upsweep nbody --device cpu --scene sphere --bodies 200 --steps 4 --video x.mp4");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("ffmpeg, which is not on PATH"), std::string::npos) << r.err;
  EXPECT_TRUE(files().empty());
  if (shell("command -v ffmpeg").status != 0) GTEST_SKIP() << "there is no ffmpeg";
  for (const char* name : {"x.mp4", "x.gif"}) {
    std::vector<std::string> words = small;
    words.insert(words.end(), {"--video", name});
    r = run(words);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_NE(r.out.find("a film of 5 pictures"), std::string::npos) << r.out;
  }
  EXPECT_EQ(read("x.mp4").substr(4, 4), "ftyp");
  EXPECT_EQ(read("x.gif").substr(0, 4), "GIF8");
  EXPECT_EQ(files().size(), 2u);
}

// A disk slower than the simulation: the simulation does not wait, memory is bounded, and the frames kept are evenly
// spaced.
TEST(nbody_writer, never_holds_up_what_gives) {
  struct slow final : nbody_taker {
    std::vector<std::uint64_t>& taken;
    std::mutex& gate;
    slow(std::vector<std::uint64_t>& t, std::mutex& g) : taken(t), gate(g) {}
    void take(const nbody_shot& s) override {
      const std::lock_guard wait(gate);
      taken.push_back(s.step);
    }
    void finish() override {}
    std::string what() const override { return ""; }
  };
  std::vector<std::uint64_t> taken;
  std::mutex gate;
  gate.lock();  // the disk does nothing at all until all has been given
  nbody_writer w(std::make_unique<slow>(taken, gate), 10 * 3 * sizeof(float));
  for (std::uint64_t k = 0; k < 200; ++k) {
    nbody_shot s;
    s.step = k;
    s.f32.resize(3);
    w.offer(std::make_shared<const nbody_shot>(std::move(s)));
  }
  gate.unlock();
  w.finish();
  EXPECT_EQ(taken.size() + w.left_out(), 200u);
  EXPECT_GE(taken.size(), 10u);
  EXPECT_LE(taken.size(), 20u);
  for (std::size_t k = 2; k < taken.size(); ++k) {
    const std::uint64_t gap = taken[k] - taken[k - 1];
    EXPECT_EQ(gap & (gap - 1), 0u);
    EXPECT_GE(gap, taken[k - 1] - taken[k - 2]);
  }
}

TEST(nbody_writer, gives_the_failure_on) {
  struct broken final : nbody_taker {
    void take(const nbody_shot&) override { throw error(fault::bad_argument, "disk", "full"); }
    void finish() override {}
    std::string what() const override { return ""; }
  };
  nbody_writer w(std::make_unique<broken>(), 1000);
  w.offer(std::make_shared<const nbody_shot>());
  while (!w.failed()) std::this_thread::yield();
  EXPECT_THROW(w.finish(), error);
}

// Processor time that the page costs the simulation: pictures of 10^4 bodies, one requested after each step.
TEST(nbody_live, pictures_cost_little) {
  const auto cost = [](const auto& act) {
    const auto now = [] {
      timespec t{};
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    const double before = now();
    act();
    return now() - before;
  };
  nbody_options o;
  o.scene = "plummer", o.bodies = 10000, o.where.device = "cpu";
  nbody_live live(o);
  double step = 1e9, shown = 1e9;
  for (int k = 0; k < 12; ++k) {
    step = std::min(step, cost([&] { live.obey({{"do", "step"}}); }));
    std::string bytes;
    shown = std::min(shown, cost([&] { bytes = live.picture(); }));
    ASSERT_EQ(bytes.size(), 16u + 16u + 120000u);
  }
  EXPECT_LE(shown, 0.05 * step);
}

TEST(nbody_live, a_bad_order_changes_nothing) {
  nbody_options o;
  o.scene = "plummer", o.bodies = 100, o.where.device = "cpu";
  nbody_live live(o);
  const std::string before = live.scene();
  using nlohmann::json;
  for (const json& order :
       {json{{"do", "theta"}, {"value", -1}}, json{{"do", "theta"}}, json{{"do", "speed"}, {"value", -3}},
        json{{"do", "method"}, {"value", "magic"}}, json{{"do", "scene"}, {"scene", "/etc/passwd"}},
        json{{"do", "scene"}, {"scene", "plummer"}, {"bodies", 1}}, json{{"do", "race"}, {"value", true}},
        json{{"do", "fly"}}, json::object()})
    EXPECT_THROW(live.obey(order), error) << order;
  EXPECT_EQ(live.scene(), before);
  EXPECT_ANY_THROW(live.obey({{"do", 7}}));
  EXPECT_EQ(live.scene(), before);
}

}  // namespace
