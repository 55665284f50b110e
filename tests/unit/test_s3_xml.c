#include "store/s3_xml.h"

#include <string.h>

static const char ANSWER[]
    = "<?xml version=\"1.0\"?><DeleteResult xmlns=\"x\"><Deleted><Key>a &amp; &#xFC; \xC3\xBC</Key></Deleted>"
      "<Error><Key>b&#10;c</Key><Code>AccessDenied</Code><Message>not <![CDATA[<yours>]]></Message></Error>"
      "<Deleted><VersionId>1</VersionId><Key>d</Key></Deleted></DeleteResult>";

/* Read in pieces of SIZE bytes, as far as LEN. */
static gboolean
read_in_pieces (const char *text, gsize len, gsize size, S3Answer *answer, char **why)
{
  S3Reader *reader = s3_reader_new ();
  for (gsize at = 0; at < len; at += size)
    s3_reader_feed (reader, text + at, MIN (size, len - at));
  return s3_reader_end (reader, answer, why);
}

static void
test_an_answer_in_pieces_is_the_answer (void)
{
  for (gsize size = 1; size <= sizeof ANSWER; size++) {
    S3Answer answer;
    char *why = NULL;
    g_assert_true (read_in_pieces (ANSWER, strlen (ANSWER), size, &answer, &why));
    g_assert_null (why);
    g_assert_true (answer.is_result && !answer.is_html && answer.code == NULL);
    g_assert_cmpuint (g_hash_table_size (answer.deleted), ==, 2);
    g_assert_true (g_hash_table_contains (answer.deleted, "a & \xC3\xBC \xC3\xBC")
                   && g_hash_table_contains (answer.deleted, "d"));
    g_assert_cmpuint (g_hash_table_size (answer.errors), ==, 1);
    g_assert_cmpstr (g_hash_table_lookup (answer.errors, "b\nc"), ==, "AccessDenied: not <yours>");
    s3_answer_clear (&answer);
  }
}

static void
test_an_answer_that_is_cut_off_is_no_result (void)
{
  for (gsize len = 0; len < strlen (ANSWER); len++) {
    S3Answer answer;
    g_autofree char *why = NULL;
    gboolean well_formed = read_in_pieces (ANSWER, len, 7, &answer, &why);
    g_assert_true (well_formed == (why == NULL));
    g_assert_false (answer.is_result);
    s3_answer_clear (&answer);
  }
}

static void
test_an_error_and_a_web_page_are_told_apart (void)
{
  S3Answer answer;
  char *why = NULL;
  g_assert_true (s3_xml_parse ("<Error><Code>NoSuchKey</Code><Message>m</Message></Error>", 57,
                               &answer, &why));
  g_assert_cmpstr (answer.code, ==, "NoSuchKey");
  g_assert_cmpstr (answer.message, ==, "m");
  g_assert_false (answer.is_result || answer.is_html);
  s3_answer_clear (&answer);
  (void)s3_xml_parse ("<!DOCTYPE html><html><body>Welcome</body></html>", 48, &answer, &why);
  g_assert_true (answer.is_html && !answer.is_result);
  s3_answer_clear (&answer);
  g_free (why);
}

static void
test_every_key_that_fits_comes_back (void)
{
  static const char *const keys[]
      = { "plain", "a&b<c>\"d'", "tab\tnew\nline\rreturn", "%2F+ ", "\xC3\xBC\xF0\x9F\x8E\x89" };
  static const char *const not [] = { "bell\a", "\x1F", "\xFF", "\xEF\xBF\xBE", "\xEF\xBF\xBF" };
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    g_assert_true (s3_xml_fits (keys[i]));
    g_ptr_array_add (all, (gpointer)keys[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (not ); i++)
    g_assert_false (s3_xml_fits (not [i]));
  /* As a service that deletes all says it. */
  GString *body = s3_xml_delete (all);
  g_string_replace (body, "Object>", "Deleted>", 0);
  g_string_replace (body, "<Delete ", "<DeleteResult ", 0);
  g_string_replace (body, "</Delete>", "</DeleteResult>", 0);
  S3Answer answer;
  char *why = NULL;
  g_assert_true (s3_xml_parse (body->str, body->len, &answer, &why));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (g_hash_table_contains (answer.deleted, keys[i]));
  s3_answer_clear (&answer);
  g_string_free (body, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/s3_xml/an answer in pieces is the answer",
                   test_an_answer_in_pieces_is_the_answer);
  g_test_add_func ("/s3_xml/an answer that is cut off is no result",
                   test_an_answer_that_is_cut_off_is_no_result);
  g_test_add_func ("/s3_xml/an error and a web page are told apart",
                   test_an_error_and_a_web_page_are_told_apart);
  g_test_add_func ("/s3_xml/every key that fits comes back", test_every_key_that_fits_comes_back);
  return g_test_run ();
}
