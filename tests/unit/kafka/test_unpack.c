/* What a compressed batch may come to: the functions that librdkafka calls. */
#include "kafka/unpack.h"

#include "base/gzip.h"

#include <gio/gio.h>
#include <string.h>

#define KB 1024

static void
test_librdkafka_unpacks_through_here (void)
{
  g_assert_true (unpack_is_bounded ());
}

/* What CONVERTER makes of IN, in small parts, into OUT (NULL: nowhere). Returns how many bytes; -1:
 * it fails. */
static gssize
convert (GConverter *converter, const GByteArray *in, GByteArray *out)
{
  static guint8 part[16 * KB];
  gsize at = 0, all = 0, read, written;
  GConverterResult result = G_CONVERTER_CONVERTED;
  while (result == G_CONVERTER_CONVERTED) {
    result = g_converter_convert (converter, in->data + at, in->len - at, part, sizeof part,
                                  G_CONVERTER_INPUT_AT_END, &read, &written, NULL);
    if (result == G_CONVERTER_ERROR)
      return -1;
    at += read;
    all += written;
    if (out != NULL)
      g_byte_array_append (out, part, (guint)written);
  }
  return (gssize)all;
}

/* SIZE zeros as gzip. */
static GByteArray *
packed (gsize size)
{
  g_autoptr (GZlibCompressor) gzip = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 1);
  g_autoptr (GByteArray) zeros = g_byte_array_sized_new ((guint)size);
  g_byte_array_set_size (zeros, (guint)size);
  memset (zeros->data, 0, size);
  GByteArray *bytes = g_byte_array_new ();
  g_assert_cmpint (convert (G_CONVERTER (gzip), zeros, bytes), ==, (gssize)bytes->len);
  return bytes;
}

/* How many bytes come of unpacking, in small parts, as librdkafka counts; -1: refused. */
static gssize
unpack (const GByteArray *bytes)
{
  g_autoptr (GZlibDecompressor) gzip = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  return convert (G_CONVERTER (gzip), bytes, NULL);
}

static void
test_what_comes_to_more_than_a_batch_may_is_refused (void)
{
  g_autoptr (GByteArray) most = packed (UNPACK_BATCH_BYTES), more = packed (UNPACK_BATCH_BYTES + 1);
  g_assert_cmpint (unpack (most), ==, UNPACK_BATCH_BYTES);
  g_assert_cmpint (unpack (more), ==, -1);
  g_assert_cmpuint (unpack_refused_for_now (), ==, 0);
}

/* As many batches at once as there is memory for; the next one is read once there is some again. */
static void
test_none_is_unpacked_while_the_process_has_much_memory (void)
{
  g_autoptr (GByteArray) small = packed (UNPACK_FREE_BYTES),
                         large = packed (UNPACK_FREE_BYTES + (2 << 20));
  char *memory = g_malloc (UNPACK_ALL_BYTES);
  memset (memory, 1, UNPACK_ALL_BYTES);
  g_assert_cmpint (unpack (small), ==, UNPACK_FREE_BYTES);
  g_assert_cmpint (unpack (large), ==, -1);
  g_assert_cmpuint (unpack_refused_for_now (), ==, 1);
  g_free (memory);
  g_assert_cmpint (unpack (large), >, 0);
  g_assert_cmpuint (unpack_refused_for_now (), ==, 1);
}

/* A file of an archive can have one row that is larger. */
static void
test_what_is_no_batch_has_no_bound_of_batches (void)
{
  const gsize size = UNPACK_BATCH_BYTES + 1;
  g_autoptr (GByteArray) bytes = packed (size);
  g_autoptr (GBytes) file = g_bytes_new (bytes->data, bytes->len);
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_assert_true (gzip_unpack (file, 2 * size, out, &error));
  g_assert_cmpuint (out->len, ==, size);
  g_assert_false (gzip_is_unpacking ());
  g_assert_false (gzip_unpack (file, size - 1, out, &error));
  g_assert_cmpint (unpack (bytes), ==, -1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/unpack/bounded", test_librdkafka_unpacks_through_here);
  g_test_add_func ("/unpack/batch", test_what_comes_to_more_than_a_batch_may_is_refused);
  g_test_add_func ("/unpack/all", test_none_is_unpacked_while_the_process_has_much_memory);
  g_test_add_func ("/unpack/file", test_what_is_no_batch_has_no_bound_of_batches);
  return g_test_run ();
}
