#include "trees.cpp"
