// A library that no test requests. If it is loaded, it creates a file.
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void loaded() {
  const int fd = open("a-planted-library-ran", O_WRONLY | O_CREAT, 0666);
  if (fd >= 0) close(fd);
}
