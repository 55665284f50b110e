/* Any text as a schedule: it is refused with a reason, or its instants increase, on both sides of a
 * clock change. */
#include "base/error.h"
#include "config/cron.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define BEGIN_US                                                                                   \
  (G_GINT64_CONSTANT (1774659600)                                                                  \
   * G_USEC_PER_SEC) /* hours before the start of summer time in Europe/Berlin, 2026-03-29 */
#define INSTANTS 3

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static GTimeZone *zone;
  g_autofree char *text = g_strndup ((const char *)data, size);
  g_autoptr (GError) error = NULL;
  if (zone == NULL)
    zone = cron_zone ("Europe/Berlin", NULL);
  g_autoptr (Cron) cron = cron_parse (text, &error);
  if (cron == NULL) {
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    return 0;
  }
  gint64 at = BEGIN_US;
  for (int i = 0; i < INSTANTS && at >= 0; i++) {
    gint64 next = cron_next (cron, zone, at);
    g_assert_true (next == -1 || next > at);
    g_assert_true (next == -1 || next % (60 * G_USEC_PER_SEC) == 0);
    at = next;
  }
  return 0;
}
