#include "strings.cpp"
