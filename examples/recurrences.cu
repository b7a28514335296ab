#include "recurrences.cpp"
