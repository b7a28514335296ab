// says: upsweep: this input is a temporary, destroyed before it is read; store it in a variable first
#include "upsweep/reduce.hpp"
#include "upsweep/views.hpp"

int main() { return upsweep::reduce(upsweep::context::cpu(), upsweep::views::reverse(std::vector<int>{1, 2, 3})); }
