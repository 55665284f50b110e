/* Preloaded, it simulates an older kernel or a failing disk.
 * NO_OPENAT2=FILE: the kernel does not have openat2; each call creates FILE.
 * UNLINK_ERRNO=N: removing a file fails with errno N; UNLINK_ONLY=NAME: only files of this name.
 * NO_CAPABILITIES=yes: file permissions apply to root, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARGUMENTS 6

__attribute__ ((constructor)) static void
drop_capabilities (void)
{
  struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
  if (getenv ("NO_CAPABILITIES") != NULL)
    syscall (SYS_capset, &head, none);
}

long
syscall (long number, ...)
{
  static long (*real) (long, ...);
  const char *seen = getenv ("NO_OPENAT2");
  long a[ARGUMENTS];
  va_list list;
  if (real == NULL)
    real = (long (*) (long, ...))dlsym (RTLD_NEXT, "syscall");
  if (number == SYS_openat2 && seen != NULL) {
    close (open (seen, O_CREAT | O_WRONLY, 0600));
    errno = ENOSYS;
    return -1;
  }
  va_start (list, number);
  for (int i = 0; i < ARGUMENTS; i++)
    a[i] = va_arg (list, long);
  va_end (list);
  return real (number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int
unlinkat (int folder, const char *name, int flags)
{
  const char *error = getenv ("UNLINK_ERRNO"), *only = getenv ("UNLINK_ONLY");
  if (error != NULL && flags == 0 && (only == NULL || strcmp (only, name) == 0)) {
    errno = atoi (error);
    return -1;
  }
  return (int)syscall (SYS_unlinkat, folder, name, flags);
}
