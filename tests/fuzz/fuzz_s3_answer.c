/* Any bytes as the answer to DeleteObjects: they are read to the end, or refused with a reason. A
 * key that is both deleted and refused is noticed. The request itself is well-formed for every key.
 */
#include "store/s3_xml.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
request_is_well_formed (const char *key)
{
  if (!g_utf8_validate (key, -1, NULL))
    return;
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_ptr_array_add (keys, (gpointer)key);
  g_autoptr (GString) body = s3_xml_delete (keys);
  static const GMarkupParser nothing;
  g_autoptr (GError) error = NULL;
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&nothing, 0, NULL, NULL);
  g_assert_true (g_markup_parse_context_parse (context, body->str, (gssize)body->len, &error));
  g_assert_true (g_markup_parse_context_end_parse (context, &error));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  S3Answer answer = { 0 };
  g_autofree char *why = NULL, *text = g_strndup ((const char *)data, size);
  gboolean well_formed = s3_xml_parse ((const char *)data, size, &answer, &why);
  g_assert_true (well_formed == (why == NULL));
  g_assert_false (answer.is_result && !well_formed);
  s3_answer_clear (&answer);
  request_is_well_formed (text);
  return 0;
}
