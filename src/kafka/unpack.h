/* Bounds what a compressed batch may come to in memory. librdkafka unpacks each batch as a whole,
 * as far as there is memory: 900 kB of a message can be 900 MB, and the process is killed before it
 * has handled anything, at each start. It has no setting for that. So the unpackers that it calls
 * (zlib's, lz4's, zstd's) go through here: the program defines their names, and the dynamic linker
 * looks there first. A batch that comes to more is refused, as a damaged one is: librdkafka reports
 * the error and unpacks nothing (unread.h has what follows). Snappy is inside librdkafka; its
 * batches come to 21 times their size at most.
 *
 * Invariant: no batch takes more than UNPACK_BATCH_BYTES. None takes more than UNPACK_FREE_BYTES
 * while this would let the process have more than UNPACK_ALL_BYTES: it is refused for now, and read
 * once there is memory.
 * Threads: any, above all librdkafka's.
 */
#pragma once
#include <glib.h>

#define UNPACK_BATCH_MB 64
#define UNPACK_BATCH_BYTES ((gsize)UNPACK_BATCH_MB << 20)
#define UNPACK_FREE_BYTES ((gsize)4 << 20)
#define UNPACK_ALL_BYTES ((gsize)256 << 20) /* resident; MemoryMax in deploy is twice this */

/* How often a batch was refused for now, since the start. */
guint unpack_refused_for_now (void);
/* Whether librdkafka's calls come here: not if it has a library inside itself. UNPACK_RISK says
 * what that means, UNPACK_REMEDY what to do. */
gboolean unpack_is_bounded (void);
#define UNPACK_RISK                                                                                \
  "this build of it unpacks a compressed batch of any size: one that comes to more than the memory kills each process that reads it"
#define UNPACK_REMEDY                                                                              \
  "install a librdkafka that uses the zlib, lz4 and zstd of the system, as those of distributions do"
