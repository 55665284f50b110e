#include "base/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

gboolean
descriptors_fill (void)
{
  int fd;
  /* The lowest number that is free is taken. */
  do
    fd = open ("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close (fd);
  return fd > STDERR_FILENO;
}
