#include "base/uuid5.h"
#include <string.h>
#include <uuid.h>

void
uuid5 (const char *namespace_uuid, const char *name, gssize len, char out[UUID5_TEXT_SIZE])
{
  uuid_t space, id;
  g_assert (uuid_parse (namespace_uuid, space) == 0);
  uuid_generate_sha1 (id, space, name, len < 0 ? strlen (name) : (gsize)len);
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
