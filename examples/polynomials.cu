#include "polynomials.cpp"
