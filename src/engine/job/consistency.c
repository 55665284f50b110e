#include "engine/job/consistency.h"

gboolean
consistency_is_sticky (const char *text)
{
  return g_strcmp0 (text, "sticky") == 0 || g_strcmp0 (text, "delayed") == 0;
}

gboolean
consistency_check (const char *text, GError **error)
{
  return g_strcmp0 (text, "always") == 0 || consistency_is_sticky (text)
         || error_fatal (error, "expected always, sticky or delayed, not '%s'", text);
}
