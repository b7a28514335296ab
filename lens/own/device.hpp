// The emulated device, as a program that is compiled for the lens sees it: each access to memory and each call arrives
// here, with the address in the program that it comes from.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "lens/machine.hpp"
#include "lens/own/arena.hpp"
#include "lens/own/assembly.hpp"
#include "lens/own/lines.hpp"
#include "lens/own/table.hpp"

namespace upsweep::lens::own {

inline std::uint64_t value_at(const unsigned char* at, unsigned size) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, size < 8 ? size : 8);
  return value;
}

class device {
 public:
  // One at a time. `ended` is called once where the program cannot go on, and does not return.
  device(const options&, std::optional<bool> races, std::function<void(const std::string&)> ended);
  ~device();
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  // The loaded program: an address inside it, and its line numbers; without these a place is "@:" and its offset.
  void attach(const void* inside, line_finder*);
  // Code that was loaded after it: a place there is "@", its number (1, 2, ...), ":" and its offset.
  std::size_t attach_more(const void* inside);
  // Between launches: drops the data about places and costs.
  void forget() { machine_.forget(); }
  const upsweep_lens::table& calls() const { return table_; }

  const machine& ran() const { return machine_; }
  const std::vector<std::string>& said() const { return said_; }
  std::string not_watched() const { return not_watched_; }  // arrays that are too large to look for races in
  // Where the program is, for when it does not end: "my_kernel, at my.cu:12"; `at` is the instruction it was at.
  std::string last_seen(const void* at) const;

 private:
  struct mark {  // the layout of the object that a source_location points to
    const char *file, *function;
    unsigned line, column;
  };
  struct object {
    const unsigned char *begin, *end;
  };
  object loaded_at(const void* inside);
  where place(const void* from, unsigned part = 0);
  std::string text_of(const where& w) const;
  std::string name_of(const upsweep_lens::launch_body&) const;

  void access(const void* at, std::size_t bytes, int kind, const void* from);
  void touch(unsigned char* at, unsigned size, int kind, const where& w);
  struct touched {
    region* r = nullptr;
    memory_block* m = nullptr;  // null if the access was rejected, or its memory is not watched
    std::uint64_t offset = 0;
    // A flag is known by its first byte, since arrays may become finer.
    std::int64_t flag() const { return static_cast<std::int64_t>(offset); }
  };
  touched checked(unsigned char* at, unsigned size, int kind, const where& w);
  // Assembly: flags in shared or global memory, and copies that run concurrently with the thread.
  friend class assembled;
  void assemble(const char* text, const upsweep_lens::operand*, const void* from);
  unsigned char* in_shared(std::uint32_t address, const where& w);
  void look_at_flag(unsigned char* at, unsigned size, bool acquire, const where& w);
  void set_flag(unsigned char* at, const unsigned char* value, unsigned size, bool release, const where& w);
  std::uint64_t update_flag(unsigned char* at, unsigned size, bool acquire, bool release, const where& w,
                            const std::function<std::uint64_t(std::uint64_t)>&);
  struct copies {
    struct one {
      unsigned char *to, *from;
      unsigned bytes, there;  // zeros after the existing bytes
      std::uint64_t group;
      where at;
    };
    std::vector<one> all;
    std::uint64_t groups = 0;
  };
  copies& copies_under_way();
  // An mbarrier and the copies that complete its phases (bulk.cpp).
  struct bulk_copy {
    unsigned char *to, *from;
    std::uint64_t bytes;
  };
  struct barrier_known {
    std::uint32_t block = 0, epoch = 0;  // of the thread that initialised it
    std::uint16_t thread = 0, engine = 0;
    bool published = false;           // to the copy engine
    shared_knowledge gathered, told;  // by those who arrive in this phase; to those who wait for one before
    std::vector<bulk_copy> under_way;
  };
  barrier_known* known_barrier(unsigned char* at, const char* does, const where& w);
  void begin_barrier(unsigned char* at, std::uint64_t arrivals, const where& w);
  void end_barrier(unsigned char* at, const where& w);
  void publish_barriers();
  std::uint64_t arrive_at_barrier(unsigned char* at, std::uint64_t times, std::int64_t expected, bool orders,
                                  const where& w);
  bool barrier_has_passed(unsigned char* at, std::uint64_t asked, bool parity, const where& w);
  void settle(unsigned char* at, barrier_known& b, std::uint64_t times, std::int64_t expected);
  void load_in_bulk(unsigned char* to, unsigned char* from, std::uint64_t bytes, unsigned char* barrier,
                    const where& w);
  // A thread's copies out of shared memory, in groups.
  struct bulk_groups {
    std::uint16_t reads = 0, writes = 0;  // the engines
    std::vector<bulk_copy> open;
    struct group {
      std::vector<bulk_copy> all;
      std::uint32_t moment;
      bool read = false;
    };
    std::vector<group> closed;
    std::string at;
  };
  bulk_groups& groups_of_thread();
  void store_in_bulk(unsigned char* to, unsigned char* from, std::uint64_t bytes, const where& w);
  void close_group();
  void wait_for_groups(std::uint64_t left, bool read, const where& w);
  bool in_bulk(unsigned char* at, std::uint64_t bytes, int kind, std::uint32_t block, std::uint16_t engine,
               const where& w);
  void end_of_block(std::uint32_t block);
  // Clusters.
  unsigned of_cluster(int what) const;
  unsigned char* of_block(unsigned char* mine, unsigned rank, const where& w);
  unsigned rank_of(unsigned char* at, const where& w);
  void end_copies(std::uint64_t left, bool all, const void* from);
  void touch_on_host(const void* at, int kind, const void* from);
  void out_of(const region& r, const unsigned char* at, unsigned size, const where& w);
  [[noreturn]] void stranger(const void* at, int kind, const where& w);
  bool read_only(const void* at) const;
  void make_finer(memory_block& m, std::size_t element);
  region* shared(const void* key, const char* name, std::size_t bytes, std::size_t element, const std::size_t* extents,
                 unsigned directions);
  region* shared_in(block& b, const void* key, const char* name, std::size_t bytes, std::size_t element,
                    const std::vector<std::size_t>& extents);
  int launch(const upsweep_lens::launch_shape&, const upsweep_lens::launch_body&, const void* from);
  int allocate(void** to, std::size_t bytes, std::size_t element, const char* text, int kind, const void* from);
  int release(void* p, const char* call, const void* from);
  int copy(void* to, const void* source, std::size_t bytes, int direction, const char* call, const void* from);
  int fill(void* to, int value, std::size_t bytes, const char* call, const void* from);
  // The result of a call that touches `bytes` there: 0, or CUDA's error, which has been reported.
  int check_range(const void* at, std::size_t bytes, bool writes, const char* call, const void* from);
  void describe(region& r, std::string name, std::size_t element, bool written);
  void make_table();

  machine machine_;
  std::optional<std::minstd_rand> poison_;  // of shared memory, where it has one
  std::size_t most_shared_;                 // of a block, dynamic and static
  bool races_ = true;
  bool all_races_ = false;            // however large an array is
  std::size_t watched_granules_ = 0;  // all together
  std::function<void(const std::string&)> ended_;
  arena memory_;
  upsweep_lens::table table_{};
  line_finder* lines_ = nullptr;
  const unsigned char* base_ = nullptr;
  std::vector<object> more_;
  std::vector<std::pair<const unsigned char*, const unsigned char*>> read_only_;
  std::unordered_map<std::uint64_t, std::unique_ptr<mark>> marks_;
  std::array<std::pair<std::uint64_t, const mark*>, 256> seen_{};  // of those, the last ones
  std::deque<std::string> texts_;                                  // of marks
  // Shared memory: the memory of each block, and the memory that finished blocks have left.
  std::unordered_map<std::uint32_t, std::vector<std::pair<const void*, region*>>> of_block_;
  std::unordered_map<std::size_t, std::vector<region*>> left_;
  std::unordered_map<const char*, std::unique_ptr<ptx_statement>> statements_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, copies> copies_;  // by block and thread
  std::map<std::pair<std::uint32_t, std::uint16_t>, bulk_groups> groups_;
  std::map<unsigned char*, barrier_known> barriers_;
  std::minstd_rand engine_dice_;
  bool in_kernel_ = false;
  const unsigned char *arguments_ = nullptr, *arguments_end_ = nullptr;
  std::vector<std::string> said_;
  std::string not_watched_, kernel_;
  const void* last_from_ = nullptr;
};

}  // namespace upsweep::lens::own
