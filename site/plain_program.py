"""A plain program for a textbook variant: float and +, no templates, with a main. nvcc compiles it, and the lens runs it.

The kernel is the variant's own, with its template parameters replaced. Only variants whose host code is one of the known shapes have
a program; tests/site/plain_programs.py runs each of them."""
import re

from textbook import host_code, kernels, matching

HEAD = """#include <cstdio>
#include <vector>

"""
ADD = """int main() {
  const unsigned long long n = 100000;
  std::vector<float> a(n, 1), b(n, 2), out(n);
  float *device_a, *device_b, *device_out;
  cudaMalloc(&device_a, n * sizeof(float));
  cudaMalloc(&device_b, n * sizeof(float));
  cudaMalloc(&device_out, n * sizeof(float));
  cudaMemcpy(device_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  KERNEL<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(device_a, device_b, device_out, n);
  cudaMemcpy(out.data(), device_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  bool right = true;
  for (float x : out) right = right && x == 3;
  std::printf(right ? "right\\n" : "wrong\\n");
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_out);
}
"""
# Each launch reduces each section of SECTION elements to one value, until one value is left.
LEVELS = """int main() {
  unsigned long long n = 100000;
  std::vector<float> values(n, 1);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (unsigned long long blocks; ; n = blocks) {
    blocks = (n + SECTION - 1) / SECTION;
    KERNEL<<<blocks, BLOCK>>>(in, out, n);
    float* next = in;  // the sums of the blocks are the input of the next launch
    in = out;
    out = next;
    if (blocks == 1) break;
  }
  float sum;
  cudaMemcpy(&sum, in, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf(sum == 100000 ? "right\\n" : "wrong\\n");
  cudaFree(in);
  cudaFree(out);
}
"""
# One launch sums up with at most 1024 blocks, a second one adds their sums.
TWO = """int main() {
  const unsigned long long n = 100000;
  const unsigned blocks = BLOCKS;
  std::vector<float> values(n, 1);
  float *in, *sums, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sums, blocks * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  KERNEL<<<blocks, BLOCK>>>(in, sums, n);
  KERNEL<<<1, BLOCK>>>(sums, out, blocks);
  float sum;
  cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf(sum == 100000 ? "right\\n" : "wrong\\n");
  cudaFree(in);
  cudaFree(sums);
  cudaFree(out);
}
"""
# One block's scan: each block scans a section of SECTION elements and writes its sum.
SECTIONS = """__global__ void add_before(float* out, const float* before, unsigned long long n) {
  const unsigned long long i = blockIdx.x * SECTIONull + threadIdx.x;
  for (unsigned k = 0; k < SECTION; k += blockDim.x)
    if (i + k < n && threadIdx.x + k < SECTION) out[i + k] += before[blockIdx.x];
}

// Scans each section, then the sums of the sections, then adds to each section the sum of all before it.
void scan(const float* in, float* out, unsigned long long n, bool inclusive) {
  const unsigned long long blocks = (n + SECTION - 1) / SECTION;
  float *sums, *before;
  cudaMalloc(&sums, blocks * sizeof(float));
  cudaMalloc(&before, blocks * sizeof(float));
  KERNEL<<<blocks, BLOCK>>>(in, out, sums, n, inclusive);
  if (blocks > 1) {
    scan(sums, before, blocks, false);
    add_before<<<blocks, BLOCK>>>(out, before, n);
  }
  cudaFree(sums);
  cudaFree(before);
}

int main() {
  const unsigned long long n = 100000;
  std::vector<float> values(n, 1);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scan(in, out, n, true);
  cudaMemcpy(values.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  bool right = true;
  for (unsigned long long i = 0; i < n; ++i) right = right && values[i] == i + 1;
  std::printf(right ? "right\\n" : "wrong\\n");
  cudaFree(in);
  cudaFree(out);
}
"""
# One launch from one array to another.
ONCE = """int main() {
  const unsigned long long n = 10000;
  std::vector<float> values(n, 1);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  KERNEL<<<GRID>>>(in, out, n, true);
  cudaMemcpy(values.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  bool right = true;
  for (unsigned long long i = 0; i < n; ++i) right = right && values[i] == i + 1;
  std::printf(right ? "right\\n" : "wrong\\n");
  cudaFree(in);
  cudaFree(out);
}
"""
ONE_THREAD = """int main() {
  const unsigned long long n = 10000;
  std::vector<float> values(n, 1);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  KERNEL<<<1, 1>>>(in, out, n);
  float sum;
  cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf(sum == 10000 ? "right\\n" : "wrong\\n");
  cudaFree(in);
  cudaFree(out);
}
"""
# A launch for each level of a tree, in place.
TREE = """int main() {
  unsigned long long n = 100000;
  std::vector<float> values(n, 1);
  float* cells;
  cudaMalloc(&cells, n * sizeof(float));
  cudaMemcpy(cells, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  LOOP
  float sum;
  cudaMemcpy(&sum, cells, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf(sum == 100000 ? "right\\n" : "wrong\\n");
  cudaFree(cells);
}
"""
LOOPS = {"reduce/global-interleaved": """for (unsigned long long stride = 1; stride < n; stride *= 2) {
    const unsigned long long pairs = (n + 2 * stride - 1) / (2 * stride);
    KERNEL<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>(cells, n, stride);
  }""",
         "reduce/global-sequential": """while (n > 1) {
    const unsigned long long half = (n + 1) / 2;  // of an odd count the middle one waits for the next level
    KERNEL<<<(n - half + BLOCK - 1) / BLOCK, BLOCK>>>(cells, n, half);
    n = half;
  }"""}


def arguments(text):
    """The arguments of a call, split at the commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([{<" and text[at - 1:at + 1] != "<<") - (c in ")]}")
        if c == "<":
            depth -= 1
        if c == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return parts + [text[begin:].strip()]


def plus(code):
    """Replaces op(a, b) by a + b, in brackets where another operator may follow."""
    while True:
        call = re.search(r"\bop\(", code)
        if not call:
            return code
        end = matching(code, call.end() - 1, "()")
        a, b = (f"({x})" if "?" in x else x for x in arguments(code[call.end():end - 1]))
        alone = re.search(r"[=(,]\s*$|\breturn\s*$", code[:call.start()]) and re.match(r"\s*[;),]", code[end:])
        whole = f"{a} + {b}" if alone else f"({a} + {b})"
        code = code[:call.start()] + whole + code[end:]


def plain(code, block):
    """CUDA as a beginner writes it."""
    code = plus(code).replace("UPSWEEP_HD", "__host__ __device__")
    code = re.sub(r"^template <[^>]*>\n", "", code, flags=re.M)
    code = re.sub(r"global<const T>\s+", "const T* ", code)
    code = re.sub(r"global<T>\s+", "T* ", code)
    code = re.sub(r"UPSWEEP_SHARED\((.+?), (\w+), (.+)\);", r"__shared__ \1 \2[\3];", code)
    code = re.sub(r"identity_of<T>\(op\)", "0", code)
    code = re.sub(r",\s*Op op\b", "", code)
    code = re.sub(r",\s*op\)", ")", code)
    code = re.sub(r"std::uint64_t\{(.*?)\}", r"(unsigned long long)\1", code)
    code = code.replace("std::uint64_t", "unsigned long long").replace("std::uint32_t", "unsigned").replace("whole_warp", "0xffffffff")
    code = re.sub(r"\bT\b", "float", code)
    return f"constexpr unsigned block = {block};\n\n{code}" if re.search(r"\bblock\b", code) else code


def program_of(variant):
    """The program, or "" if the variant's host code has none of the known shapes."""
    code, host = kernels(variant.text), host_code(variant.text)
    names = re.findall(r"__global__ void (\w+)\(", code)
    size = re.search(r"template <unsigned block = (\d+)>", variant.text)
    if variant.name in ("reduce/sequential", "scan/sequential"):
        size = re.match("()", "")
    if len(names) != 1 or not size or "unsigned items" in code or "__launch_bounds__" in code:
        return ""
    if '#include "upsweep/scan/textbook/scan_tile' in variant.text or "scan_threads" in code or "cg::" in code:
        return ""
    block = int(size[1] or 1)
    twice = re.search(r"_levels<T>\([^;]*?(2 \* block|section)", host) or "2 * block" in host
    section = 2 * block if twice else block
    if variant.algorithm == "vector_add":
        main = ADD
    elif "reduce_levels" in host:
        main = LEVELS
    elif "scan_levels" in host:
        main = SECTIONS
    elif variant.algorithm == "reduce" and "blocks_of(n)" in host:
        main = TWO
    elif variant.name == "reduce/sequential":
        main = ONE_THREAD
    elif variant.name in ("scan/sequential", "scan/thread-per-output"):
        main = ONCE.replace("GRID", "(n + BLOCK - 1) / BLOCK, BLOCK" if block > 1 else "1, 1")
    elif variant.name in LOOPS:
        main = TREE.replace("LOOP", LOOPS[variant.name])
    else:
        return ""
    for word, value in (("KERNEL", names[0]), ("BLOCKS", str(min(1024, -(-100000 // section)))), ("BLOCK", str(block)),
                        ("SECTION", str(section))):
        main = re.sub(rf"\b{word}(?=\b|ull)", value, main)
    return HEAD + plain(code, block) + "\n\n" + main
