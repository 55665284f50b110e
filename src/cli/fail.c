/* How a command fails: the error for people, and the exit code. */
#include "cli/cli.h"

#include <stdarg.h>

static void
set_error (GError **error, const char *format, va_list list)
{
  g_autofree char *text = g_strdup_vprintf (format, list);
  g_set_error_literal (error, PRUNED_ERROR, PRUNED_FATAL, text);
}

ExitCode
cli_usage (GError **error, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  set_error (error, format, list);
  va_end (list);
  return CODE_USAGE;
}

ExitCode
cli_fail (ExitCode code, GError **error, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  set_error (error, format, list);
  va_end (list);
  return code;
}
