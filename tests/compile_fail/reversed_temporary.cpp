// says: upsweep: this input would be gone before it is read; name it first
#include "upsweep/inputs.hpp"
#include "upsweep/reduce.hpp"

int main() { return upsweep::reduce(upsweep::context::cpu(), upsweep::reversed(std::vector<int>{1, 2, 3})); }
