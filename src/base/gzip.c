#include "base/gzip.h"

#include <gio/gio.h>

#define PIECE 65536

static _Thread_local gboolean unpacking;

/* Adds all that CONVERTER makes of DATA to OUT. FALSE: it is no such data, or more than MOST. */
static gboolean
convert (GConverter *converter, const char *data, gsize len, gsize most, GString *out,
         GError **error)
{
  char piece[PIECE];
  for (gsize at = 0;;) {
    gsize read, written;
    GConverterResult result
        = g_converter_convert (converter, data + at, len - at, piece, sizeof piece,
                               G_CONVERTER_INPUT_AT_END, &read, &written, error);
    if (result == G_CONVERTER_ERROR)
      return FALSE;
    g_string_append_len (out, piece, (gssize)written);
    at += read;
    if (out->len > most) {
      g_set_error (error, PRUNED_ERROR, PRUNED_REJECT,
                   "it unpacks to more than %" G_GSIZE_FORMAT " bytes", most);
      return FALSE;
    }
    if (result == G_CONVERTER_FINISHED)
      return at == len || error_reject (error, "more follows its end");
  }
}

GBytes *
gzip_pack (const char *data, gsize len)
{
  g_autoptr (GZlibCompressor) packer = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
  GString *out = g_string_new (NULL);
  const gboolean ok = convert (G_CONVERTER (packer), data, len, G_MAXSIZE, out, NULL);
  g_assert (ok);
  return g_string_free_to_bytes (out);
}

gboolean
gzip_unpack (GBytes *packed, gsize most, GString *out, GError **error)
{
  g_autoptr (GZlibDecompressor) unpacker = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  gsize len;
  const char *data = g_bytes_get_data (packed, &len);
  unpacking = TRUE;
  const gboolean ok = convert (G_CONVERTER (unpacker), len > 0 ? data : "", len, most, out, error);
  unpacking = FALSE;
  return ok;
}

gboolean
gzip_is_unpacking (void)
{
  return unpacking;
}
