#include "distributions.cpp"
