/* Preloaded, it counts the bytes that a process has allocated and not freed. The count is in the
 * first eight bytes of the file LIVE_BYTES, which other processes may read. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc (size_t), *__libc_calloc (size_t, size_t),
    *__libc_realloc (void *, size_t), *__libc_memalign (size_t, size_t);
extern void __libc_free (void *);

static _Atomic long long early;
static _Atomic long long *live = &early;

__attribute__ ((constructor)) static void
show (void)
{
  const char *path = getenv ("LIVE_BYTES");
  int file = path != NULL ? open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate (file, sizeof *live) != 0)
    return;
  void *shown = mmap (NULL, sizeof *live, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close (file);
  if (shown == MAP_FAILED)
    return;
  live = shown; /* no other thread exists yet */
  atomic_store (live, early);
}

static void *
count (void *at)
{
  if (at != NULL)
    atomic_fetch_add_explicit (live, (long long)malloc_usable_size (at), memory_order_relaxed);
  return at;
}

static void
discount (long long size)
{
  atomic_fetch_sub_explicit (live, size, memory_order_relaxed);
}

void *
malloc (size_t size)
{
  return count (__libc_malloc (size));
}

void *
calloc (size_t n, size_t size)
{
  return count (__libc_calloc (n, size));
}

void
free (void *at)
{
  if (at != NULL)
    discount ((long long)malloc_usable_size (at));
  __libc_free (at);
}

void *
realloc (void *at, size_t size)
{
  long long before = at != NULL ? (long long)malloc_usable_size (at) : 0;
  void *now = __libc_realloc (at, size);
  if (now != NULL || size == 0)
    discount (before);
  return count (now);
}

void *
memalign (size_t alignment, size_t size)
{
  return count (__libc_memalign (alignment, size));
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return memalign (alignment, size);
}

int
posix_memalign (void **at, size_t alignment, size_t size)
{
  void *made = memalign (alignment, size);
  if (made == NULL)
    return ENOMEM;
  *at = made;
  return 0;
}
