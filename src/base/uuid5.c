#include "base/uuid5.h"
#include <string.h>
#include <uuid.h>

/* The same namespace comes a thousand times in a row (the outcomes of a run), and to parse it costs
 * as much as the hash. */
static const unsigned char *
namespace_of (const char *text)
{
  static __thread char last_text[UUID5_TEXT_SIZE];
  static __thread uuid_t last;
  if (strcmp (text, last_text) != 0) {
    g_assert (uuid_parse (text, last) == 0);
    g_strlcpy (last_text, text, sizeof last_text);
  }
  return last;
}

void
uuid5 (const char *namespace_uuid, const char *name, gssize len, char out[UUID5_TEXT_SIZE])
{
  uuid_t id;
  uuid_generate_sha1 (id, namespace_of (namespace_uuid), name,
                      len < 0 ? strlen (name) : (gsize)len);
  uuid_unparse_lower (id, out);
}

guint
uuid5_slot (const char *run_id, guint capacity)
{
  uuid_t id;
  g_assert (capacity > 0);
  g_assert (uuid_parse (run_id, id) == 0);
  guint32 first = (guint32)id[0] << 24 | (guint32)id[1] << 16 | (guint32)id[2] << 8 | id[3];
  return first % capacity;
}

gboolean
uuid5_is_valid (const char *text)
{
  uuid_t id;
  return text != NULL && uuid_parse (text, id) == 0;
}
