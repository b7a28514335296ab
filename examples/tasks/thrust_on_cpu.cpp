// thrust.cu compiled as C++: Thrust's device is then the CPU.
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#include "thrust.cu"
