/* Data in the form of gzip (RFC 1952).
 *
 * Threads: any. Ownership: the caller's.
 */
#pragma once
#include "base/error.h"

/* What DATA packs to; the same for the same DATA. */
GBytes *gzip_pack (const char *data, gsize len);
/* What PACKED was made of goes to OUT. FALSE: it is damaged, is cut off, or is more than MOST
 * bytes: OUT has what lies before that. */
gboolean gzip_unpack (GBytes *packed, gsize most, GString *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Whether this thread is in gzip_unpack: then a bound for what Kafka sends (kafka/unpack.h) is none
 * for it. */
gboolean gzip_is_unpacking (void);
