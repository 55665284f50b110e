#include "base/error.h"
#include "base/json.h"
#include <string.h>

static json_t *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  json_t *value = json_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  return value;
}

static void
assert_canonical (const char *text, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *got = json_canonical_text (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (got, ==, wanted);
}

static void
test_text_keeps_the_order_of_keys (void)
{
  g_autoptr (json_t) value
      = parse (" { \"b\" : [ 1 , true, null ] , \"a\" : \"\\u00fc/\\u0007\" } ");
  g_autofree char *text = json_text (value);
  g_assert_cmpstr (text, ==, "{\"b\":[1,true,null],\"a\":\"ü/\\u0007\"}");
}

static void
test_reals_are_written_short (void)
{
  g_autoptr (json_t) value = parse ("[0.1, 1.0, 1e300, 0.30000000000000004, 2e-7]");
  g_autofree char *text = json_text (value);
  g_assert_cmpstr (text, ==, "[0.1,1.0,1e+300,0.30000000000000004,2e-07]");
}

static void
test_strings_are_escaped_minimally (void)
{
  static const char odd[] = "\b\f\n\r\t\x01\x1f\x7f\"\\/ü\xf0\x9f\x90\x98";
  g_autoptr (GString) out = g_string_new (NULL);
  json_append_quoted (out, odd, strlen (odd));
  g_assert_cmpstr (out->str, ==, "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\\\"\\\\/ü\xf0\x9f\x90\x98\"");
}

static void
test_canonical_sorts_by_bytes (void)
{
  assert_canonical ("{\"b\":1,\"a\":{\"z\":0,\"B\":[{\"d\":1,\"c\":2}]},\"ü\":3,\"A\":4,\"\":5}",
                    "{\"\":5,\"A\":4,\"a\":{\"B\":[{\"c\":2,\"d\":1}],\"z\":0},\"b\":1,\"ü\":3}");
}

static void
test_canonical_of_nothing (void)
{
  assert_canonical ("{}", "{}");
  assert_canonical (" null\n", "{}");
  g_autofree char *none = json_canonical (NULL);
  g_autofree char *null = json_canonical (json_null ());
  g_assert_cmpstr (none, ==, "{}");
  g_assert_cmpstr (null, ==, "{}");
}

static void
test_canonical_text_keeps_numbers (void)
{
  assert_canonical ("{\"a\":1.0,\"b\":12345678901234567890,\"c\":1E+2,\"d\":-0,\"e\":0.10}",
                    "{\"a\":1.0,\"b\":12345678901234567890,\"c\":1E+2,\"d\":-0,\"e\":0.10}");
}

static void
test_canonical_text_reads_escapes (void)
{
  assert_canonical ("{\"\\u0041\\n\\/\":\"\\ud83d\\udc18\\u000B\\b\"}",
                    "{\"A\\n/\":\"\xf0\x9f\x90\x98\\u000b\\b\"}");
}

static void
test_both_canonical_forms_agree (void)
{
  static const char *const texts[] = {
    "{}",
    "null",
    "{\"z\":1,\"a\":[],\"m\":{},\"b\":[1,-2,{\"y\":null,\"x\":false}]}",
    "{\"r\":1.5,\"s\":0.1,\"t\":1.0,\"i\":9223372036854775807,\"j\":-9223372036854775808}",
    "{\"\\u00e4\":1,\"\\u007f\":2,\"\\ud83d\\udc18\":3,\"\\uffff\":4,\"a\":\"\\\"\\\\\\u001f\"}",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (json_t) value = parse (texts[i]);
    g_autofree char *by_value = json_canonical (value);
    assert_canonical (texts[i], by_value);
    assert_canonical (by_value, by_value);
  }
}

static void
assert_refused (const char *text, gsize len)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *got = json_canonical_text (text, len, &error);
  g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  g_assert_null (got);
}

/* What one reader refuses the other refuses too. */
static void
test_broken_texts_are_refused (void)
{
  static const char *const texts[] = {
    "",
    " ",
    "{",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{a:1}",
    "{\"a\":1}x",
    "{\"a\":1}{}",
    "{\"a\":01}",
    "{\"a\":1.}",
    "{\"a\":.5}",
    "{\"a\":+1}",
    "{\"a\":1e}",
    "{\"a\":-}",
    "{\"a\":0x1}",
    "{\"a\":NaN}",
    "{\"a\":tru}",
    "{\"a\":nul",
    "{\"a\":[1,]}",
    "{\"a\":[1 2]}",
    "{\"a\":[}",
    "{\"a\":\"}",
    "{\"a\":\"\\x\"}",
    "{\"a\":\"\\u12g4\"}",
    "{\"a\":\"\\u0000\"}",
    "{\"a\":\"\\ud800\"}",
    "{\"a\":\"\\udc00\"}",
    "{\"a\":\"\\ud800\\u0041\"}",
    "{\"a\":\"\\ud800x\"}",
    "{\"a\":\"\n\"}",
    "{\"a\":\"\xff\"}",
    "{\"a\":\"\xc0\xaf\"}",
    "{\"a\":\"\xed\xa0\x80\"}",
    "{\"a\":1,\"a\":1}",
    "{\"a\":1,\"b\":0,\"\\u0061\":2}",
    "{'a':1}",
    "\xef\xbb\xbf{}",
    "{\"a\":1 /*x*/}",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *shown = g_strescape (texts[i], NULL);
    g_test_message ("%s", shown);
    assert_refused (texts[i], strlen (texts[i]));
    g_autoptr (GError) error = NULL;
    g_assert_null (json_parse (texts[i], strlen (texts[i]), &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  }
  assert_refused ("{\"a\":\"\0\"}", 9);
  assert_refused ("[1]", 3);
  assert_refused ("\"null\"", 6);
  assert_refused ("1", 1);
}

static void
test_no_byte_behind_the_text_is_read (void)
{
  static const char whole[] = "{\"a\":\"\\ud83d\\udc18\",\"b\":[true,-1.5e+3]}";
  for (gsize len = 0; len + 1 < sizeof whole - 1; len++) {
    g_autofree char *part = g_memdup2 (whole, len);
    assert_refused (part != NULL ? part : "", len);
  }
}

static void
test_depth_is_bounded (void)
{
  g_autoptr (GString) deep = g_string_new ("{\"a\":");
  for (int i = 0; i < 126; i++)
    g_string_append_c (deep, '[');
  for (int i = 0; i < 126; i++)
    g_string_append_c (deep, ']');
  g_string_append_c (deep, '}');
  assert_canonical (deep->str, deep->str);
  g_autoptr (GString) deeper = g_string_new ("{\"a\":");
  for (int i = 0; i < 100000; i++)
    g_string_append_c (deeper, '[');
  assert_refused (deeper->str, deeper->len);
  g_autoptr (GError) error = NULL;
  g_assert_null (json_parse (deeper->str, deeper->len, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
}

static void
test_errors_name_line_and_column (void)
{
  static const char text[] = "{\n \"a\": 01}";
  g_autoptr (GError) error = NULL;
  g_assert_null (json_canonical_text (text, strlen (text), &error));
  g_assert_cmpstr (error->message, ==, "line 2, column 8: a number begins with 0");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/text_keeps_the_order_of_keys", test_text_keeps_the_order_of_keys);
  g_test_add_func ("/json/reals_are_written_short", test_reals_are_written_short);
  g_test_add_func ("/json/strings_are_escaped_minimally", test_strings_are_escaped_minimally);
  g_test_add_func ("/json/canonical_sorts_by_bytes", test_canonical_sorts_by_bytes);
  g_test_add_func ("/json/canonical_of_nothing", test_canonical_of_nothing);
  g_test_add_func ("/json/canonical_text_keeps_numbers", test_canonical_text_keeps_numbers);
  g_test_add_func ("/json/canonical_text_reads_escapes", test_canonical_text_reads_escapes);
  g_test_add_func ("/json/both_canonical_forms_agree", test_both_canonical_forms_agree);
  g_test_add_func ("/json/broken_texts_are_refused", test_broken_texts_are_refused);
  g_test_add_func ("/json/no_byte_behind_the_text_is_read", test_no_byte_behind_the_text_is_read);
  g_test_add_func ("/json/depth_is_bounded", test_depth_is_bounded);
  g_test_add_func ("/json/errors_name_line_and_column", test_errors_name_line_and_column);
  return g_test_run ();
}
