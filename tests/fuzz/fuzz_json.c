/* Any text as JSON: what is accepted is written and read again as the same value. The canonical
 * form of a canonical text is that text. */
#include "base/error.h"
#include "base/json.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
text_is_read_again (const json_t *value)
{
  g_autofree char *text = json_text (value);
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) again = json_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_true (json_equal (value, again));
}

static void
canonical_is_its_own (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *again = json_canonical_text (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, again);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL, other = NULL;
  g_autoptr (json_t) value = json_parse ((const char *)data, size, &error);
  if (value != NULL)
    text_is_read_again (value);
  else
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  g_autofree char *canonical = json_canonical_text ((const char *)data, size, &other);
  if (canonical != NULL)
    canonical_is_its_own (canonical);
  else
    g_assert_error (other, PRUNED_ERROR, PRUNED_REJECT);
  return 0;
}
