#include "base/error.h"

#include <stdarg.h>

G_DEFINE_QUARK (pruned_error, pruned_error)

gboolean
error_set (GError **error, PrunedVerdict verdict, const char *format, ...)
{
  if (error == NULL)
    return FALSE;
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, PRUNED_ERROR, verdict, why);
  return FALSE;
}
