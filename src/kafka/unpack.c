#include "kafka/unpack.h"

#include "base/gzip.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <librdkafka/rdkafka.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

/* Of the formats of zstd and lz4; their headers are not needed for building. */
#define ZSTD_NO_MEMORY ((gsize) - 64)
#define ZSTD_UNKNOWN G_MAXUINT64
#define ZSTD_DAMAGED (G_MAXUINT64 - 1)
#define LZ4_FAILED ((gsize) - 1)
#define STEP_BITS 20 /* while zlib counts, the memory is looked at once for each MB */

/* The names that the dynamic linker finds. */
#define NAMED(symbol) __asm__ (symbol) __attribute__ ((visibility ("default")))
int unpack_inflate (z_streamp stream, int flush) NAMED ("inflate");
gsize unpack_zstd (void *out, gsize room, const void *in, gsize in_len) NAMED ("ZSTD_decompress");
guint64 unpack_zstd_size (const void *in, gsize in_len) NAMED ("ZSTD_getFrameContentSize");
gsize unpack_lz4_begin (void **context, unsigned version) NAMED ("LZ4F_createDecompressionContext");
gsize unpack_lz4 (void *context, void *out, gsize *out_len, const void *in, gsize *in_len,
                  const void *options) NAMED ("LZ4F_decompress");

static struct {
  typeof (&unpack_inflate) inflate;
  typeof (&unpack_zstd) zstd;
  typeof (&unpack_zstd_size) zstd_size, zstd_bound;
  typeof (&unpack_lz4_begin) lz4_begin;
  typeof (&unpack_lz4) lz4;
} theirs; /* NULL: no library has it */
static pthread_once_t found = PTHREAD_ONCE_INIT;
static atomic_uint refused;
static _Thread_local gsize lz4_bytes; /* of the batch that this thread unpacks */

static void
find (void)
{
  theirs.inflate = (typeof (&unpack_inflate))dlsym (RTLD_NEXT, "inflate");
  theirs.zstd = (typeof (&unpack_zstd))dlsym (RTLD_NEXT, "ZSTD_decompress");
  theirs.zstd_size = (typeof (&unpack_zstd_size))dlsym (RTLD_NEXT, "ZSTD_getFrameContentSize");
  theirs.zstd_bound = (typeof (&unpack_zstd_size))dlsym (RTLD_NEXT, "ZSTD_decompressBound");
  theirs.lz4_begin
      = (typeof (&unpack_lz4_begin))dlsym (RTLD_NEXT, "LZ4F_createDecompressionContext");
  theirs.lz4 = (typeof (&unpack_lz4))dlsym (RTLD_NEXT, "LZ4F_decompress");
}

/* What the process has of its own; 0: not known. */
static gsize
resident (void)
{
  char text[128] = "";
  gsize all = 0, pages = 0, shared = 0;
  int file = open ("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  gssize n = read (file, text, sizeof text - 1);
  close (file);
  if (n <= 0 || sscanf (text, "%zu %zu %zu", &all, &pages, &shared) != 3)
    return 0;
  return (pages - MIN (shared, pages)) * (gsize)sysconf (_SC_PAGESIZE);
}

/* Whether a batch may have WANTED bytes now. What is free but kept does not count. */
static gboolean
is_room (gsize wanted)
{
  if (wanted <= UNPACK_FREE_BYTES || resident () + wanted <= UNPACK_ALL_BYTES)
    return TRUE;
  malloc_trim (0);
  if (resident () + wanted <= UNPACK_ALL_BYTES)
    return TRUE;
  atomic_fetch_add (&refused, 1);
  return FALSE;
}

/* librdkafka first counts what comes out, in small parts, and then asks for memory. */
int
unpack_inflate (z_streamp stream, int flush)
{
  pthread_once (&found, find);
  if (gzip_is_unpacking ())
    return theirs.inflate (stream, flush);
  const gsize before = stream->total_out;
  int result = theirs.inflate (stream, flush);
  const gsize after = stream->total_out;
  if (after > UNPACK_BATCH_BYTES)
    return Z_MEM_ERROR;
  if (before >> STEP_BITS != after >> STEP_BITS && before > 0 && !is_room (after))
    return Z_MEM_ERROR;
  return result;
}

gsize
unpack_zstd (void *out, gsize room, const void *in, gsize in_len)
{
  pthread_once (&found, find);
  if (room > UNPACK_BATCH_BYTES || !is_room (room))
    return ZSTD_NO_MEMORY;
  return theirs.zstd (out, room, in, in_len);
}

/* Where a batch does not say it, librdkafka guesses, three times as much each time, and gives up
 * before its own limit is reached, so that batches above 33 MB were never read. */
guint64
unpack_zstd_size (const void *in, gsize in_len)
{
  pthread_once (&found, find);
  guint64 size = theirs.zstd_size (in, in_len);
  if (size != ZSTD_UNKNOWN || theirs.zstd_bound == NULL)
    return size;
  guint64 bound = theirs.zstd_bound (in, in_len);
  return bound == ZSTD_DAMAGED ? size : CLAMP (bound, 1, UNPACK_BATCH_BYTES);
}

gsize
unpack_lz4_begin (void **context, unsigned version)
{
  pthread_once (&found, find);
  lz4_bytes = 0;
  return theirs.lz4_begin (context, version);
}

/* It is called until nothing is left of the batch; librdkafka gives it more room each time. */
gsize
unpack_lz4 (void *context, void *out, gsize *out_len, const void *in, gsize *in_len,
            const void *options)
{
  const gsize left = UNPACK_BATCH_BYTES - MIN (lz4_bytes, UNPACK_BATCH_BYTES);
  *out_len = MIN (*out_len, left + 1);
  if (!is_room (MIN (*out_len, left)))
    return LZ4_FAILED;
  gsize result = theirs.lz4 (context, out, out_len, in, in_len, options);
  lz4_bytes += *out_len;
  return *out_len > left ? LZ4_FAILED : result;
}

guint
unpack_refused_for_now (void)
{
  return atomic_load (&refused);
}

static gboolean
comes_here (void *library, const char *name, const void *ours)
{
  return dlsym (library, name) != NULL && dlsym (RTLD_DEFAULT, name) == ours;
}

gboolean
unpack_is_bounded (void)
{
  Dl_info info;
  if (dladdr ((const void *)rd_kafka_version, &info) == 0)
    return FALSE;
  void *library = dlopen (info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL)
    return FALSE;
  gboolean bounded = comes_here (library, "inflate", (const void *)unpack_inflate)
                     && comes_here (library, "ZSTD_decompress", (const void *)unpack_zstd)
                     && comes_here (library, "LZ4F_decompress", (const void *)unpack_lz4);
  dlclose (library);
  return bounded;
}
