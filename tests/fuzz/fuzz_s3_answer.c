/* Any bytes as the answer to DeleteObjects: they are read to the end, or refused with a reason. A
 * key that is both deleted and refused is noticed. The request itself is well-formed for every key,
 * and for every version.
 */
#include "store/s3_xml.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
request_is_well_formed (const GPtrArray *keys, const GPtrArray *versions)
{
  g_autoptr (GString) body = s3_xml_delete (keys, versions);
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
  if (!g_utf8_validate (text, -1, NULL))
    return 0;
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_ptr_array_add (keys, text);
  request_is_well_formed (keys, NULL);
  request_is_well_formed (keys, keys);
  return 0;
}
