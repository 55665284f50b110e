#include "base/descriptors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static gboolean
is_null (int fd)
{
  struct stat it, null;
  return fstat (fd, &it) == 0 && stat ("/dev/null", &null) == 0 && it.st_rdev == null.st_rdev;
}

/* In a process of its own: closes the descriptors of MASK, fills, and looks. */
static int
filled (guint mask)
{
  int next = open ("/dev/zero", O_RDONLY);
  for (int fd = 0; fd <= 2; fd++)
    if (mask & (1u << fd))
      close (fd);
    else
      dup2 (next, fd);
  close (next);
  if (!descriptors_fill ())
    return 1;
  for (int fd = 0; fd <= 2; fd++)
    if (is_null (fd) != ((mask & (1u << fd)) != 0))
      return 2;
  return open ("/dev/zero", O_RDONLY) == next ? 0 : 3; /* none is left open */
}

static void
test_closed_ones_are_filled (void)
{
  for (guint mask = 0; mask < 8; mask++) {
    pid_t child = fork ();
    int status;
    if (child == 0)
      _exit (filled (mask));
    g_assert_cmpint (waitpid (child, &status, 0), ==, child);
    g_assert_true (WIFEXITED (status));
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/descriptors/closed_ones_are_filled", test_closed_ones_are_filled);
  return g_test_run ();
}
