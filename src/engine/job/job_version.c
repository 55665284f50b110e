#include "engine/job/job_private.h"

#define BOUND "-bound"

char *
job_version_text (GChecksum *sum, gboolean bound)
{
  return g_strdup_printf ("%.16s%s", g_checksum_get_string (sum), bound ? BOUND : "");
}

gboolean
job_version_is_bound (const char *version)
{
  return g_str_has_suffix (version, BOUND);
}
